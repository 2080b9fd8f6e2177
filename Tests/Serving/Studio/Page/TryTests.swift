import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// The Try tab and the Labels tab.
  @Suite struct TryTests {
    @Test func `A dropped image is classified by the selected model`() async throws {
      let page = try await PageVisit("pencil/try", bundles: ["digits", "pencil"])
      try await page.click("button.model", "Handwritten digits")
      try await page.waitFor("Handwritten digits", in: "h1")
      try await page.drop([StudioPageTests.sample("digits/3-1.png")])
      try await page.waitFor("3", in: ".score-bars li:first-child .name")
      #expect(try await page.text(".score-bars li:first-child .score").contains("100"))
      #expect(try await page.count(".score-bars li") == 5)
      try await page.waitFor("3, 100 %", in: "#live-region")
      page.expectNoErrors()
    }

    @Test func `The last and mean duration of each stage is shown`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.waitFor("mean of 1 run", in: ".latency")
      try await page.click(".thumbnail[title='1-1.png']")
      try await page.waitFor("mean of 2 runs", in: ".latency")
      let all = "[...document.querySelectorAll('.latency-table td.number')]"
      let cells = "\(all).map((one) => +one.textContent)"
      let times = try #require(try await page.value(cells).numbers)
      #expect(times.count == 10)
      #expect(times.allSatisfy { $0 >= 0 })
      page.expectNoErrors()
    }

    @Test func `Detections are drawn over the image and listed`() async throws {
      let page = try await PageVisit("shape-detector/try", bundles: ["shape-detector"])
      try await page.waitFor("document.querySelectorAll('.entries li').length === 4")
      #expect(try await page.text(".entries li:first-child .name") == "triangle")
      let opaquePixels = """
        (() => {
          const canvas = document.querySelector(".overlay");
          const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          return bytes.filter((value, place) => place % 4 === 3 && value > 200).length;
        })()
        """
      #expect(try await page.value(opaquePixels).number ?? 0 > 2000)
      page.expectNoErrors()
    }

    @Test(arguments: ["shape-segmenter", "figure-pose", "shape-boxes"])
    func `Masks, skeletons and boxes of raw outputs are drawn over the image`(
      _ bundle: String
    ) async throws {
      let page = try await PageVisit("\(bundle)/try", bundles: [bundle])
      let drawn = """
        (() => {
          const canvas = document.querySelector(".overlay");
          if (!canvas?.width) return 0;
          const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          return bytes.filter((value, place) => place % 4 === 3 && value > 60).length;
        })()
        """
      try await page.waitFor("\(drawn) > 500")
      let shown = [
        "shape-segmenter": "cross", "figure-pose": "person", "shape-boxes": "circle",
      ]
      try await page.waitFor(try #require(shown[bundle]), in: ".outputs")
      page.expectNoErrors()
    }

    @Test func `An output image is shown`() async throws {
      let page = try await PageVisit("pencil/try", bundles: ["pencil"])
      try await page.waitFor(
        "document.querySelector('img.output-image-content')?.naturalWidth === 192")
      page.expectNoErrors()
    }

    @Test func `Two models are compared on the same image`() async throws {
      let page = try await PageVisit("digits/try", bundles: ["digits", "digits-quantized"])
      try await page.waitFor("document.querySelector('.score-bars li')")
      try await page.compare(with: "digits-quantized")
      try await page.drop([StudioPageTests.sample("digits/7-1.png")])
      for model in ["digits", "digits-quantized"] {
        try await page.waitFor("7", in: "[data-model='\(model)'] .score-bars li:first-child .name")
      }
      page.expectNoErrors()
    }

    @Test func `Numbers are entered in a form with the names of the features`() async throws {
      let page = try await PageVisit("diabetes/try", bundles: ["diabetes"])
      try await page.waitFor("142.9", in: ".scalar-output")
      let names = "[...document.querySelectorAll('.fields label')].map((one) => one.textContent)"
      #expect(
        try await page.value(names).array?.compactMap(\.string) == [
          "age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6",
        ])
      #expect(try await page.count(".fields input") == 10)
      try await page.click(".chip", "patient-2.json")
      try await page.waitFor("178.8", in: ".scalar-output")
      let type = """
        (() => {
          const field = document.querySelector(".fields input");
          field.value = "";
          field.dispatchEvent(new Event("input", { bubbles: true }));
        })()
        """
      try await page.value(type)
      try await page.waitFor("age is not a number", in: ".error-message")
      page.expectNoErrors()
    }

    @Test func `Texts are entered in text fields`() async throws {
      let bundle = try TestBundle(
        inputs: #"{"name": "words", "type": "array", "shape": [2]}"#,
        outputs: #"{"name": "swapped", "type": "array", "shape": [2]}"#)
      let model = ProjectFiles.path("Tests/Fixtures/Models/gather-string.tflite")
      try bundle.write(Array(Data(contentsOf: URL(filePath: model))), to: "model.tflite")
      let page = try await PageVisit("test/try", bundles: [bundle.path])
      try await page.waitFor("document.querySelectorAll('.fields textarea').length === 2")
      let type = """
        for (const [index, field] of document.querySelectorAll(".fields textarea").entries()) {
          field.value = ["a “good” movie", "[1]"][index];
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }
        """
      try await page.value(type)
      try await page.waitFor("\"[1]\",\n \"a “good” movie\"", in: ".outputs pre")
      page.expectNoErrors()
    }

    @Test func `A message is classified as it is typed`() async throws {
      let page = try await PageVisit("topics/try", bundles: ["topics"])
      try await page.waitFor("account", in: ".score-bars li:first-child .name")
      let type = """
        (() => {
          const field = document.querySelector(".fields textarea");
          field.value = "Can I send the shoes back?";
          field.dispatchEvent(new Event("input", { bubbles: true }));
        })()
        """
      try await page.value(type)
      try await page.waitFor("return", in: ".score-bars li:first-child .name")
      page.expectNoErrors()
    }

    @Test func `Sound is played and its timeline is shown`() async throws {
      let page = try await PageVisit("tones/try", bundles: ["tones"])
      try await page.waitFor("bell", in: ".outputs")
      #expect(try await page.value("document.querySelector('audio').hidden === false").bool == true)
      try await page.drop([StudioPageTests.sample("tones/sequence.wav")])
      try await page.waitFor("windows", in: ".outputs")
      try await page.waitFor("document.querySelectorAll('.entries li').length > 1")
      try await page.waitFor("noise", in: ".outputs")
      page.expectNoErrors()
    }

    @Test func `An output with very many numbers is shown in part`() async throws {
      let page = try await PageVisit("digits/try")
      // The page shows the result of its sample before the test replaces its contents.
      try await page.waitFor("document.querySelectorAll('.score-bars li').length > 0")
      let show = """
        import("/studio/outputs.js").then(({ OutputList }) => {
          const list = new OutputList({ name: "segmenter", metadata: { outputs: [] } });
          const values = Array.from({ length: 263_169 }, (_, index) => index / 2);
          list.show({ mask: values, nested: [values] }, { top: 5 });
          document.querySelector("main").replaceChildren(list.element);
          list.element.querySelector("details").open = true;
          return list.summary;
        })
        """
      #expect(
        try await page.value(show).string == "263,169 numbers; a structured result")
      try await page.waitFor(
        "The first 10,000 of 263,169 numbers", in: ".outputs summary")
      try await page.waitFor("4999, 4999.5", in: ".outputs details pre")
      #expect(try await page.text(".outputs details pre").split(separator: ",").count == 10_000)
      #expect(try await page.count(".outputs .bar-strip rect") == 240)
      #expect(try await page.text(".outputs > :last-child pre").count == 100_000)
      page.expectNoErrors()
    }

    @Test func `Embeddings are named, and the nearest are listed`() async throws {
      let page = try await PageVisit("digits-embedder/try", bundles: ["digits-embedder"])
      try await page.waitFor("document.querySelector('.embedding .bar-strip')")
      try await page.value("document.querySelector('.embedding input').value = 'naught'")
      try await page.click(".embedding button", "Save")
      try await page.click(".thumbnail[title='0-2.png']")
      try await page.waitFor("match", in: ".nearest-neighbors .success")
      try await page.click(".thumbnail[title='1-1.png']")
      try await page.waitFor("no match", in: ".nearest-neighbors .muted")
      page.expectNoErrors()
    }

    @Test func `The preprocessed input is shown with its channels`() async throws {
      let page = try await PageVisit("shape-detector/try", bundles: ["shape-detector"])
      try await page.waitFor("document.querySelector('.entries li')")
      try await page.click("#preprocessed summary")
      try await page.waitFor("document.querySelectorAll('.channels img').length === 4")
      try await page.waitFor("letterboxed", in: ".preprocessed-input")
      try await page.waitFor("blue", in: ".channels b")
      page.expectNoErrors()
    }

    @Test func `Files that are not images are reported`() async throws {
      let page = try await PageVisit("digits/try")
      let folder = try TemporaryFolder()
      try await page.waitFor("document.querySelector('.score-bars li')")
      try await page.drop([try folder.write("not an image", to: "torn.png")])
      try await page.waitFor("document.querySelector('.model-panel .error-message:not([hidden])')")
      #expect(try await page.text(".model-panel .error-message").contains("(status 4"))
      try await page.drop([try folder.write("words", to: "notes.txt")])
      try await page.waitFor("notes.txt is not an image", in: ".notification")
      page.expectNoErrors(except: ["status of 4"])
    }

    @Test func `An image that fails cannot be saved with the previous prediction`() async throws {
      let page = try await PageVisit("digits/try")
      let folder = try TemporaryFolder()
      try await page.drop([StudioPageTests.sample("digits/3-1.png")])
      try await page.waitFor("document.querySelector('.label-form input')?.value === '3'")
      try await page.drop([try folder.write("not an image", to: "torn.png")])
      try await page.waitFor("document.querySelector('.model-panel .error-message:not([hidden])')")
      #expect(try await page.value("document.querySelector('.label-form').hidden").bool == true)
      try await page.drop([StudioPageTests.sample("digits/7-1.png")])
      try await page.waitFor("!document.querySelector('.label-form').hidden")
      #expect(
        try await page.value("document.querySelector('.label-form input').value").string == "7")
      page.expectNoErrors(except: ["status of 4"])
    }

    @Test func `Images beyond the limit of the list are reported`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.waitFor("document.querySelector('.score-bars li')")
      let path = StudioPageTests.sample("digits/3-1.png")
      try await page.drop(Array(repeating: path, count: 60))
      try await page.waitFor(
        "document.querySelectorAll('.thumbnail-group:first-child .thumbnail').length === 60")
      try await page.drop([path])
      try await page.waitFor("1 earlier image removed from the list", in: ".notification")
      page.expectNoErrors()
    }

    @Test func `A server that does not respond is reported`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.waitFor("document.querySelector('.score-bars li')")
      page.server?.stop()
      try await page.waitFor(
        "fetch('/v2/health/live').then(() => false, () => true)")
      try await page.click(".thumbnail[title='1-1.png']")
      try await page.drop([StudioPageTests.sample("digits/3-1.png")])
      try await page.waitFor("The server is not responding", in: "#offline-banner")
    }

    @Test func `The default model can be cleared in the settings`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.click("#model-default button", "Make default")
      try await page.waitFor("Default model", in: "#model-default")
      try await page.click("#open-settings")
      try await page.value("document.querySelector('#settings select').value = ''")
      try await page.click("#settings button", "Save")
      try await page.waitFor("Make default", in: "#model-default")
      page.expectNoErrors()
    }

    @Test func `Labels persist when the page is reloaded`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.drop([StudioPageTests.sample("digits/3-1.png")])
      try await page.waitFor("document.querySelector('.label-form input')?.value === '3'")
      try await page.value("document.querySelector('.label-form input').focus()")
      try await page.waitFor("document.querySelectorAll('.label-form option').length === 10")
      try await page.value("document.querySelector('.label-form input').value = '8'")
      try await page.click(".label-form button")
      try await page.waitFor("Saved: 8, predicted as 3", in: ".label-form")
      try await page.browser.call("Page.reload")
      try await page.waitFor("document.querySelector('.score-bars li')")
      try await page.click("[role=tab]", "Labels")
      try await page.waitFor("document.querySelector('.annotations input')?.value === '8'")
      try await page.waitFor("incorrect", in: ".annotations")
      page.expectNoErrors()
    }
  }
}

extension PageVisit {
  /// Selects a model to compare with.
  fileprivate func compare(with model: String) async throws {
    try await value(
      """
      (() => {
        const select = [...document.querySelectorAll(".options select")].at(-1);
        select.value = \(model.script);
        select.dispatchEvent(new Event("change"));
      })()
      """)
    try await waitFor("document.querySelectorAll('.model-panel').length === 2")
    try await waitFor("document.querySelectorAll('.model-panel .score-bars').length === 2")
  }
}
