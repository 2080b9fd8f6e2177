import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// What is drawn over an image: text that can be selected, highlights, classes and masks.
  @Suite struct OverlayTests {
    /// A chain whose characters are colored blocks.
    private static func readingChain(in folder: TemporaryFolder) throws -> String {
      let path = "\(folder.path)/blocks.tiochain"
      let models = ProjectFiles.path("Tests/Fixtures/Reading/models")
      let made = TestConsole.run(["init", models, "-o", path])
      try #require(made.exitCode == 0, "\(made.messages)")
      return path
    }

    /// Draws lines of blocks, which are the letters a to g.
    private static func image(_ lines: [(text: String, x: Int, y: Int)]) throws -> [UInt8] {
      let (width, height) = (300, 200)
      var pixels = [UInt8](repeating: 255, count: width * height * 3)
      for line in lines {
        for (index, letter) in line.text.utf8.enumerated() {
          let number = Int(letter) - Int(UInt8(ascii: "a"))
          let color = [number & 1, number >> 1 & 1, number >> 2 & 1].map { UInt8($0 * 254) }
          for v in 0..<12 {
            let margin = v < 6 ? 3 : 0
            for u in margin..<12 - margin {
              let start = ((line.y + v) * width + line.x + index * 16 + u) * 3
              pixels.replaceSubrange(start..<start + 3, with: color)
            }
          }
        }
      }
      return try ImageBuffer(width: width, height: height, format: .rgb, pixels: pixels)
        .encoded(as: .png)
    }

    @Test func `Text that was read can be selected over the image`() async throws {
      let folder = try TemporaryFolder()
      let chain = try Self.readingChain(in: folder)
      let file = folder.path + "/lines.png"
      let image = try Self.image([("abcdefg", 20, 20), ("feed", 30, 80)])
      try Data(image).write(to: URL(filePath: file))
      let page = try await PageVisit("blocks/try", bundles: [chain])
      try await page.waitFor("Chain: text detection, classification, text line", in: "#model-task")
      try await page.drop([file])
      try await page.waitFor("document.querySelectorAll('.text-layer span').length > 1")
      let selected = """
        (() => {
          const range = document.createRange();
          range.selectNodeContents(document.querySelector(".text-layer"));
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          return getSelection().toString();
        })()
        """
      #expect(try await page.value(selected).string == "abcdefg\nfeed")
      // The text is where it is in the image, whose size on the screen is another one; outlines have a margin.
      let offsets = """
        (() => {
          const view = document.querySelector(".input-view").getBoundingClientRect();
          const scale = Math.min(view.width / 300, view.height / 200);
          const left = view.left + (view.width - 300 * scale) / 2;
          const top = view.top + (view.height - 200 * scale) / 2;
          return [...document.querySelectorAll(".text-layer span")].map((word) => {
            const { x, y, right } = word.getBoundingClientRect();
            return [(x - left) / scale, (y - top) / scale, (right - left) / scale];
          }).flat();
        })()
        """
      let places = try #require(try await page.value(offsets).numbers)
      for (place, expected) in zip(places, [20.0, 20, 128, 30, 80, 90]) {
        #expect(abs(place - expected) < 16, "\(places)")
      }
      page.expectNoErrors()
    }

    private static let pixels = """
      (() => {
        const canvas = document.querySelector(".overlay");
        const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return bytes.filter((value, place) => place % 4 === 3 && value > 60).length;
      })()
      """

    @Test func `Entries of the list are highlighted in the image, and the reverse`() async throws {
      let page = try await PageVisit("shape-detector/try", bundles: ["shape-detector"])
      try await page.waitFor("document.querySelectorAll('.entries li').length === 4")
      try await page.waitFor("\(Self.pixels) > 500")
      let before = try await page.value(Self.pixels).number ?? 0
      try await page.value("document.querySelector('.entries li:nth-child(2) button').focus()")
      try await page.waitFor("\(Self.pixels) > \(before) * 2")
      try await page.value("document.activeElement.blur()")
      try await page.waitFor("\(Self.pixels) === \(before)")
      // The triangle is the first entry.
      try await page.value(
        """
        (() => {
          const view = document.querySelector(".input-view"), image = view.querySelector("img");
          const { left, top, width, height } = view.getBoundingClientRect();
          const scale = Math.min(width / image.naturalWidth, height / image.naturalHeight);
          view.dispatchEvent(new PointerEvent("pointermove", {
            clientX: left + (width - image.naturalWidth * scale) / 2 + 185 * scale,
            clientY: top + (height - image.naturalHeight * scale) / 2 + 278 * scale,
          }));
        })()
        """)
      try await page.waitFor(
        "document.querySelector('.entries li.is-highlighted')?.textContent.includes('triangle')")
      page.expectNoErrors()
    }

    @Test func `Sections of a text are marked in it`() async throws {
      let page = try await PageVisit("topics/try", bundles: ["topics"])
      try await page.waitFor("document.querySelector('.score-bars li')")
      // The offsets count bytes of UTF-8, and the answers overlap.
      let show = """
        import("/studio/outputs.js").then(({ OutputList }) => {
          const list = new OutputList({ name: "names", metadata: { outputs: [] } });
          const entities = [
            { text: "Berlin", label: "LOC", score: 0.8, start: 14, end: 20 },
            { text: "Åda", label: "PER", score: 0.9, start: 0, end: 4 },
            { text: "in Berlin", label: "LOC", score: 0.1, start: 11, end: 20 },
          ];
          list.show({ entities }, { top: 5, texts: ["Who?", "Åda lives in Berlin."] });
          document.querySelector(".outputs").replaceWith(list.element);
          return [...list.element.querySelectorAll("mark")].map((each) => each.textContent);
        })
        """
      #expect(
        try await page.value(show).array?.compactMap(\.string) == ["Åda", "in Berlin"])
      #expect(try await page.text(".marked-text") == "Åda lives in Berlin.")
      try await page.value("document.querySelector('.entries li:nth-child(2) button').focus()")
      try await page.waitFor("Åda", in: "mark.is-highlighted")
      try await page.value(
        "document.querySelectorAll('mark')[1].dispatchEvent(new PointerEvent('pointerenter'))")
      try await page.waitFor("in Berlin", in: ".entries li.is-highlighted")
      #expect(try await page.count(".is-highlighted") == 2)
      page.expectNoErrors()
    }

    @Test func `Classes are hidden, and masks have another opacity`() async throws {
      let page = try await PageVisit("shape-segmenter/try", bundles: ["shape-segmenter"])
      try await page.waitFor("\(Self.pixels) > 500")
      let before = try await page.value(Self.pixels).number ?? 0
      try await page.click(".overlay-controls label", "cross")
      try await page.waitFor("\(Self.pixels) < \(before) * 0.9")
      try await page.value(
        """
        (() => {
          const slider = document.querySelector(".overlay-controls input[type=range]");
          slider.value = 5;
          slider.dispatchEvent(new Event("input", { bubbles: true }));
        })()
        """)
      try await page.waitFor("\(Self.pixels) < \(before) * 0.4")
      page.expectNoErrors()
    }

    @Test func `Sliders change the minimum score and the number of labels`() async throws {
      let page = try await PageVisit("shape-detector/try", bundles: ["shape-detector", "digits"])
      try await page.waitFor("document.querySelectorAll('.entries li').length === 4")
      func slide(_ title: String, to value: String) async throws {
        try await page.value(
          """
          (() => {
            const label = [...document.querySelectorAll(".options label")].find((each) => each.textContent === "\(title)");
            const slider = document.getElementById(label.htmlFor);
            slider.value = "\(value)";
            slider.dispatchEvent(new Event("input", { bubbles: true }));
          })()
          """)
      }
      try await slide("Minimum score", to: "0.65")
      try await page.waitFor("document.querySelectorAll('.entries li').length === 2")
      try await page.click(".slider button", "Default")
      try await page.waitFor("document.querySelectorAll('.entries li').length === 4")
      try await page.click("button.model", "Handwritten digits")
      try await page.waitFor("document.querySelectorAll('.score-bars li').length === 5")
      try await slide("Labels", to: "2")
      try await page.waitFor("document.querySelectorAll('.score-bars li').length === 2")
      page.expectNoErrors()
    }

    @Test(arguments: ["topics", "tones", "diabetes", "style-transform"])
    func `The result is beside the input`(_ bundle: String) async throws {
      let page = try await PageVisit("\(bundle)/try", bundles: [bundle], width: 1024)
      try await page.waitFor("document.querySelector('.result .output')")
      let sides = """
        [".input-preview form", ".result"].map((each) => document.querySelector(each).getBoundingClientRect())
          .flatMap(({ left, right, top }) => [left, right, top])
        """
      let numbers = try #require(try await page.value(sides).numbers)
      #expect(numbers[1] <= numbers[3] && abs(numbers[2] - numbers[5]) < 8, "\(numbers)")
      page.expectNoErrors()
    }

    @Test(arguments: [
      ("tones", "canvas"), ("topics", "small"), ("diabetes", "svg"), ("style-transform", "img"),
    ])
    func `Samples have pictures`(_ bundle: String, _ picture: String) async throws {
      let page = try await PageVisit("\(bundle)/try", bundles: [bundle])
      try await page.waitFor("document.querySelector('.sample-preview:not([hidden]) \(picture)')")
      page.expectNoErrors()
    }
  }
}
