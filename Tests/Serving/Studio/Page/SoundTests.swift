import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Sounds: the waveform with what a model has found, and transcripts.
  @Suite struct SoundTests {
    private static let playing = "document.querySelectorAll('.outputs .is-playing').length > 0"

    /// The number of pixels of the waveform in the color of a section.
    private static let sectionPixels = """
      (() => {
        const canvas = document.querySelector(".waveform canvas");
        if (!canvas?.width) return 0;
        const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let count = 0;
        for (let place = 0; place < bytes.length; place += 4) {
          const [red, green, blue] = bytes.slice(place, place + 3);
          if (Math.max(red, green, blue) - Math.min(red, green, blue) > 60) count += 1;
        }
        return count;
      })()
      """

    @Test func `Sections are drawn over the waveform, and are played from the list`() async throws {
      let page = try await PageVisit("tones/try", bundles: ["tones"])
      try await page.click(".chip", "sequence.wav")
      try await page.waitFor("document.querySelectorAll('.entries li').length > 3")
      try await page.waitFor("\(Self.sectionPixels) > 1000")
      let slider = "document.querySelector('.waveform')"
      #expect(try await page.value("\(slider).getAttribute('role')").string == "slider")
      let length = try await page.value("+\(slider).getAttribute('aria-valuemax')").number ?? 0
      #expect(length > 2)
      try await page.click(".entries li:nth-child(2) .entry-link")
      try await page.waitFor("!document.querySelector('audio').paused")
      try await page.waitFor(Self.playing)
      let time = try await page.value("document.querySelector('audio').currentTime").number ?? 0
      let start = try await page.value(
        "+document.querySelectorAll('.entries li')[1].dataset.start"
      ).number
      #expect(time >= start ?? .infinity)
      page.expectNoErrors()
    }

    @Test func `A click on the waveform plays from there, and keys move the position`() async throws
    {
      let page = try await PageVisit("tones/try", bundles: ["tones"])
      try await page.click(".chip", "sequence.wav")
      try await page.waitFor("document.querySelectorAll('.entries li').length > 3")
      try await page.value(
        """
        (() => {
          const waveform = document.querySelector(".waveform");
          const { left, top, width } = waveform.getBoundingClientRect();
          const place = { clientX: left + width / 2, clientY: top + 5, bubbles: true };
          waveform.dispatchEvent(new MouseEvent("click", place));
        })()
        """)
      let fraction =
        "document.querySelector('audio').currentTime / document.querySelector('audio').duration"
      try await page.waitFor("\(fraction) > 0.49")
      try await page.value("document.querySelector('.waveform').focus()")
      try await page.press(" ")
      try await page.waitFor("document.querySelector('audio').paused")
      try await page.press("Home", code: 36)
      try await page.waitFor("document.querySelector('audio').currentTime === 0")
      try await page.press("ArrowRight", code: 39)
      try await page.waitFor("document.querySelector('audio').currentTime > 0")
      page.expectNoErrors()
    }

    @Test func `The segments of a transcript are played`() async throws {
      let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle")
      let page = try await PageVisit("speech/try", bundles: [bundle])
      try await page.waitFor("document.querySelector('.values')")
      try await page.drop([StudioPageTests.sample("tones/sequence.wav")])
      try await page.waitFor("document.querySelector('.transcript .segment button')")
      try await page.waitFor("\(Self.sectionPixels) > 1000")
      try await page.click(".transcript .segment button")
      try await page.waitFor(Self.playing)
      page.expectNoErrors()
    }

    @Test func `The words of a transcript light up while they are played`() async throws {
      let page = try await PageVisit("tones/try", bundles: ["tones"])
      try await page.waitFor("document.querySelectorAll('.entries li').length > 0")
      let show = """
        Promise.all([import("/studio/model-panel.js"), import("/studio/sound-player.js")]).then(
          async ([{ ModelPanel }, { SoundPlayer }]) => {
            const panel = new ModelPanel("tones"), player = new SoundPlayer("sound");
            panel.metadata = { inputs: [], outputs: [] };
            panel.useForm({ element: player.element, player }, false);
            document.querySelector("main").replaceChildren(panel.element);
            const response = await fetch("/studio/api/models/tones/samples/sequence.wav");
            await player.load(await response.blob());
            const words = ["one ", "two"].map((word, index) => ({ word, start: index, end: index + 1 }));
            const segments = [{ start: 0, end: 2, text: "one two", words }];
            panel.show({ outputs: { transcript: { text: " one two", language: "en", duration: 2, segments } } }, {});
            player.audio.currentTime = 1.5;
            return panel.outputs.summary;
          })
        """
      #expect(try await page.value(show).string == "one two")
      try await page.waitFor("two", in: ".word.is-playing")
      #expect(try await page.count(".word.is-playing") == 1)
      try await page.click(".word", "one")
      try await page.waitFor("one", in: ".word.is-playing")
      #expect(try await page.text(".transcript .segment p") == "one two")
      try await page.waitFor("language en, 0:02", in: "main p")
      page.expectNoErrors()
    }

    @Test func `Times are formatted as clocks show them`() async throws {
      let page = try await PageVisit()
      let texts = """
        import("/studio/format.js").then(({ formatTime }) => [0, 7.25, 65, 59.999, 3723].map(formatTime))
        """
      #expect(
        try await page.value(texts).array?.compactMap(\.string) == [
          "0:00", "0:07.25", "1:05", "1:00", "1:02:03",
        ])
    }
  }
}
