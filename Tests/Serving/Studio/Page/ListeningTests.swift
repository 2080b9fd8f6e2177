import TensorIOTestSupport
import Testing

@testable import TensorIOStudio

extension StudioPageTests {
  /// The microphone, a file that is repeated, which is transcribed while it is recorded.
  @Suite struct ListeningTests {
    private static let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle")
    private static let note = ".listening .fine-print"
    private static let hasPartialText = """
      !["", "Speak"].includes(document.querySelector('.partial-text')?.textContent.slice(0, 5) ?? "")
      """

    private func visit(width: Int = 1280, isDark: Bool = false) async throws -> PageVisit {
      let page = try await PageVisit(
        "speech/try", bundles: [Self.bundle, "tones"], width: width, isDark: isDark,
        microphone: StudioPageTests.sample("tones/sequence.wav"))
      try await page.waitFor("document.querySelector('.listen-toggle')")
      return page
    }

    private func transcripts(of page: PageVisit) throws -> StudioTranscripts {
      try #require(page.server).transcripts
    }

    private func waitForNone(_ transcripts: StudioTranscripts) async throws {
      while transcripts.count > 0 { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test(arguments: [(1280, false), (1280, true), (390, false), (390, true)])
    func `Words appear while one speaks, and the transcript is that of the recording`(
      width: Int, isDark: Bool
    ) async throws {
      let page = try await visit(width: width, isDark: isDark)
      try await page.click(".listen-toggle")
      try await page.waitFor("Listening, 0:0", in: Self.note)
      #expect(try await page.text(".listen-toggle") == "Stop")
      try await page.waitFor(Self.hasPartialText)
      try await page.waitFor("document.querySelectorAll('.live-transcript .segment').length > 1")
      let isDrawn = """
        (() => {
          const canvas = document.querySelector(".listening canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 10);
          return data.some((value) => value > 0);
        })()
        """
      try await page.waitFor(isDrawn)
      let scrollWidth = try await page.value("document.documentElement.scrollWidth").number
      #expect(scrollWidth == Double(width))
      #expect(
        try await page.value("document.querySelector('[role=log]').childElementCount").number ?? 0
          > 0)
      #expect(try transcripts(of: page).count == 1)
      let name = "listening-\(width < 500 ? "phone" : "wide")-\(isDark ? "dark" : "light")"
      try await page.value("document.querySelector('.listening').scrollIntoView()")
      try await page.save(name)
      // The key works while the button has the focus.
      try await page.press("l")
      try await page.waitFor("document.querySelector('.transcript .segment button')")
      #expect(try await page.count(".live-transcript") == 0)
      #expect(try await page.text(".listen-toggle") == "Listen")
      try await waitForNone(transcripts(of: page))
      try await page.waitFor("!document.querySelector('.waveform').hidden")
      let segments = try await page.count(".transcript .segment")
      #expect(segments > 1)
      let end = "+[...document.querySelectorAll('.segment')].at(-1).dataset.end"
      #expect(
        try await page.value("document.querySelector('audio').duration > 4 && \(end) > 2").bool
          == true)
      try await page.click(".transcript .segment button")
      try await page.waitFor("document.querySelector('.outputs .is-playing')")
      try await page.save("\(name)-finished")
      // The recording can be transcribed again.
      try await page.click(".values button[type=submit]", "Run")
      try await page.waitFor("mean of 1 run", in: ".latency .fine-print")
      try await page.waitFor("document.querySelector('.transcript .segment button')")
      page.expectNoErrors()
    }

    @Test(arguments: [
      ("NotAllowedError", "The microphone is not allowed"),
      ("NotFoundError", "This machine has no microphone"),
    ])
    func `An unavailable microphone is reported`(name: String, message: String) async throws {
      let page = try await visit()
      let rejection = "Promise.reject(new DOMException('', '\(name)'))"
      try await page.value("navigator.mediaDevices.getUserMedia = () => \(rejection), 0")
      try await page.click(".listen-toggle")
      try await page.waitFor(message, in: ".listening .error-message")
      #expect(try await page.text(".listen-toggle") == "Listen")
      #expect(
        try await page.value("document.querySelector('.values .row button').disabled").bool == false
      )
      #expect(try transcripts(of: page).count == 0)
      try await page.waitFor("The result appears here.", in: ".outputs")
      page.expectNoErrors()
    }

    @Test func `The recording remains when the server is gone`() async throws {
      let page = try await visit()
      try await page.click(".listen-toggle")
      try await page.waitFor("document.querySelector('.live-transcript .segment')")
      page.server?.stop()
      try await page.waitFor("The server is not responding", in: ".listening .error-message")
      // The texts so far remain as well.
      #expect(try await page.count(".live-transcript .segment") > 0)
      try await page.waitFor("document.querySelector('audio').duration > 1")
      #expect(try await page.text(".listen-toggle") == "Listen")
    }

    @Test func `A transcript that the server has removed is reported`() async throws {
      let page = try await visit()
      try await page.click(".listen-toggle")
      try await page.waitFor(Self.hasPartialText)
      try transcripts(of: page).close()
      try await page.waitFor(
        "document.querySelector('.listening .error-message').textContent.length > 10")
      try await page.waitFor("document.querySelector('audio').duration > 0.5")
    }

    @Test func `Leaving the page, the tab or the model ends the transcript`() async throws {
      let page = try await visit()
      let transcripts = try transcripts(of: page)
      // Another tab: the transcript is finished.
      try await page.click(".listen-toggle")
      try await page.waitFor(Self.hasPartialText)
      try await page.click("[role=tab]", "About")
      try await waitForNone(transcripts)
      try await page.click("[role=tab]", "Try")
      try await page.waitFor("document.querySelector('.transcript .segment button')")
      // A file: it is transcribed instead.
      try await page.click(".listen-toggle")
      try await page.waitFor(Self.hasPartialText)
      try await page.drop([StudioPageTests.sample("tones/bell.wav")])
      try await waitForNone(transcripts)
      try await page.waitFor("mean of 1 run", in: ".latency .fine-print")
      #expect(try await page.count(".live-transcript") == 0)
      // Another model, which does not transcribe.
      try await page.click(".listen-toggle")
      try await page.waitFor(Self.hasPartialText)
      try await page.value("location.hash = '#/tones/try', 0")
      try await waitForNone(transcripts)
      try await page.waitFor("document.querySelector('.values')")
      try await page.waitFor("!document.querySelector('.listen-toggle')")
      try await page.press("l")
      // The page.
      try await page.value("location.hash = '#/speech/try', 0")
      try await page.click(".listen-toggle")
      try await page.waitFor(Self.hasPartialText)
      #expect(transcripts.count == 1)
      try await page.reload()
      try await waitForNone(transcripts)
      page.expectNoErrors()
    }
  }
}
