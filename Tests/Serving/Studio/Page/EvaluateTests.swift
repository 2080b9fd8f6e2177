import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// The Evaluate tab.
  @Suite struct EvaluateTests {
    @Test func `A folder is evaluated with metrics and charts`() async throws {
      let folder = try TemporaryFolder()
      let names = ["3/054.png", "3/114.png", "8/127.png"]
      for name in names {
        let bytes = try Data(contentsOf: URL(filePath: "\(StudioHarness.heldOut)/\(name)"))
        try folder.write(Array(bytes), to: "images/\(name)")
      }
      try folder.write("not an image", to: "images/8/torn.png")
      let page = try await PageVisit("digits/evaluate")
      try await page.waitFor("document.querySelector('.evaluation-source input[type=file]')")
      try await page.choose(["\(folder.path)/images"], in: ".evaluation-source input[type=file]")
      try await page.waitFor("Completed: 3 images evaluated", in: ".progress-text")
      #expect(try await page.text(".evaluation-data") == "Data: the folder images")
      #expect(
        try await page.text(".rejected-files")
          == "Left out, not an image: 1 file, 8/torn.png first")
      let titles = """
        [...document.querySelectorAll(".chart g title")].map((title) => title.textContent)
        """
      let cells = try await page.value(titles).array?.compactMap(\.string) ?? []
      #expect(cells.sorted() == ["3 predicted as 3: 2", "8 predicted as 1: 1"])
      try await page.waitFor("Most frequent: 8 predicted as 1: 1.", in: "figcaption")
      // Images that are not in view are loaded later.
      try await page.value("document.querySelector('.misclassified-item').scrollIntoView()")
      try await page.waitFor("document.querySelector('.misclassified-item img')?.naturalWidth > 0")
      let reportJSON =
        "fetch(document.querySelector('.export-links a').href).then((one) => one.json())"
      #expect(try await page.value(reportJSON)[0]?["count"]?.number == 3)
      page.expectNoErrors(except: ["status of 415"])
    }

    @Test func `A dataset is evaluated, and its report can be exported`() async throws {
      let page = try await PageVisit("digits/evaluate", data: [StudioHarness.heldOut])
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.waitFor("Completed: 360 images evaluated", in: ".progress-text")
      #expect(try await page.text(".headline-metric b") == "99.2 %")
      let charts = """
        [...document.querySelectorAll(".chart")].map((chart) =>
          `${chart.querySelector("title").textContent} ${chart.getBoundingClientRect().width > 200}`)
        """
      #expect(
        try await page.value(charts).array?.compactMap(\.string) == [
          "Confusion true", "Precision and recall true", "ROC curve true", "F1 and score true",
          "Precision and score true", "Recall and score true", "Calibration true", "Latency true",
        ])
      #expect(try await page.count(".correct-cell") == 10)
      #expect(try await page.count(".incorrect-cell") == 3)
      let fill = "getComputedStyle(document.querySelector('.incorrect-cell')).fill"
      #expect(try await page.value(fill).string == "rgb(208, 88, 42)")
      for (position, type) in [(1, "application/json"), (2, "text/csv"), (3, "text/html")] {
        let link = "document.querySelector('.export-links a:nth-child(\(position))').href"
        let contentType = try await page.value(
          "fetch(\(link)).then((one) => one.ok && one.headers.get('content-type'))")
        #expect(contentType.string?.hasPrefix(type) == true)
      }
      page.expectNoErrors()
    }

    @Test func `Only data that fit the model are offered`() async throws {
      let page = try await PageVisit(
        "topics/evaluate", bundles: ["topics", "diabetes"],
        data: [StudioHarness.heldOut, StudioHarness.data("topics-held-out.csv")])
      try await page.waitFor("document.querySelector('.evaluation-source option')")
      #expect(try await page.count(".evaluation-source option") == 1)
      #expect(try await page.text(".evaluation-source option") == "topics-held-out.csv")
      try await page.waitFor("1 dataset left out", in: ".evaluation-source summary")
      #expect(try await page.text(".evaluation-source li").hasPrefix("digits-held-out: "))
      #expect(
        try await page.count(".evaluation-source") == 1, "the model takes no folder of images")
      try await page.click("button.model", "Diabetes")
      try await page.waitFor("None of the datasets", in: ".evaluation-source")
      page.expectNoErrors()
    }

    @Test func `Models are evaluated side by side, with gates`() async throws {
      let page = try await PageVisit(
        "digits/evaluate", bundles: ["digits", "digits-quantized", "diabetes"],
        data: [StudioHarness.heldOut])
      try await page.click("summary", "Other models and gates")
      #expect(try await page.count(".evaluated-models label") == 1)
      try await page.click(".evaluated-models label", "quantized")
      try await page.type(
        "top1>=99.9%, top1>=baseline-50%", into: "#view-evaluate input[type=text]")
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.waitFor("document.querySelectorAll('.headline-metric').length === 2")
      try await page.waitFor("Side by side", in: "h2")
      let cells = """
        [...document.querySelectorAll("#view-evaluate table")].find((each) => each.caption?.textContent.includes("same items"))
          .querySelector("tbody tr").innerText
        """
      #expect(try await page.value(cells).string?.components(separatedBy: "failed").count == 3)
      try await page.waitFor("FAILED: top1 is 99.", in: ".error-message")
      try await page.waitFor("1 of 2 gates pass", in: ".error-message")
      // The comparison stays in the list of evaluations.
      try await page.reload()
      try await page.click(".evaluation-history summary")
      try await page.waitFor("Top-1 accuracy: 99.2 %", in: ".evaluation-history td")
      try await page.waitFor("newly wrong", in: ".evaluation-history td")
      #expect(try await page.count(".evaluation-history .badge.error") == 2)
      try await page.click(".evaluation-history button", "Remove all")
      try await page.waitFor("!document.querySelector('.evaluation-history')")
      page.expectNoErrors()
    }

    @Test func `An evaluation names its dataset, which stays selected`() async throws {
      let page = try await PageVisit(
        "digits/evaluate", data: [StudioHarness.heldOut, StudioHarness.data("digits-training")])
      try await page.waitFor("document.querySelector('.evaluation-source select')")
      try await page.value(
        """
        (() => {
          const select = document.querySelector(".evaluation-source select");
          select.value = "digits-training";
          select.dispatchEvent(new Event("change"));
        })()
        """)
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.waitFor("Completed", in: ".progress-text")
      #expect(try await page.text(".evaluation-data") == "Data: digits-training")
      #expect(try await page.text(".headline-metric").contains("images of digits-training"))
      let selected = "document.querySelector('.evaluation-source select').value"
      #expect(try await page.value(selected).string == "digits-training")
      try await page.click("[role=tab]", "About")
      try await page.click("[role=tab]", "Evaluate")
      #expect(try await page.value(selected).string == "digits-training")
      try await page.reload()
      try await page.waitFor("Data: digits-training", in: ".evaluation-data")
      page.expectNoErrors()
    }

    @Test(arguments: [
      ("shape-detector", ["Count", "Average precision"]),
      ("shape-segmenter", ["Count", "IoU", "Boundary F"]),
    ])
    func `Classes have the metrics of their task, and mistakes have boxes or masks`(
      _ bundle: String, _ columns: [String]
    ) async throws {
      let folder = try TemporaryFolder()
      let data =
        bundle == "shape-detector"
        ? StudioHarness.data("shapes-over-photographs") : try Self.exchangedMasks(in: folder)
      let page = try await PageVisit("\(bundle)/evaluate", bundles: [bundle], data: [data])
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.waitFor("Completed", in: ".progress-text")
      let titles = """
        [...document.querySelectorAll(".class-metrics th.number")].map((one) => one.textContent)
        """
      let shown = try await page.value(titles).array?.compactMap(\.string) ?? []
      #expect(shown.starts(with: columns), "\(shown)")
      let cells = """
        [...document.querySelectorAll(".class-metrics td")].map((one) => one.textContent)
        """
      let values = try await page.value(cells).array?.compactMap(\.string) ?? []
      #expect(!values.isEmpty && !values.contains("–"), "\(values)")
      // Images that are not in view are loaded later, and charts above them can move them out of it.
      let drawn = """
        (() => {
          document.querySelector(".misclassified-item").scrollIntoView();
          const canvas = document.querySelector(".misclassified-item canvas");
          if (!canvas?.width) return 0;
          const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          return bytes.filter((value, place) => place % 4 === 3 && value > 60).length;
        })()
        """
      try await page.waitFor("\(drawn) > 100")
      page.expectNoErrors()
    }

    /// Writes two images with the masks of each other, so that the predictions are wrong.
    private static func exchangedMasks(in folder: TemporaryFolder) throws -> String {
      for (image, mask) in [("0001", "0004"), ("0004", "0001")] {
        let source = StudioHarness.data("shape-masks")
        try folder.write(
          Array(Data(contentsOf: URL(filePath: "\(source)/images/\(image).jpg"))),
          to: "images/\(image).jpg")
        try folder.write(
          Array(Data(contentsOf: URL(filePath: "\(source)/masks/\(mask).png"))),
          to: "masks/\(image).png")
      }
      return folder.path
    }

    @Test func `An evaluation is shown again after a reload`() async throws {
      let page = try await PageVisit("digits/evaluate", data: [StudioHarness.heldOut])
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.waitFor("document.querySelector('.evaluation-progress')")
      for _ in 0..<2 {
        try await page.reload()
        try await page.waitFor("Completed: 360 images evaluated", in: ".progress-text")
        #expect(try await page.text(".headline-metric b") == "99.2 %")
      }
      page.expectNoErrors()
      try await page.value(
        "localStorage.setItem('tensorio-studio.evaluations', '{\"digits\": \"1\"}')")
      try await page.reload()
      try await page.waitFor("worst errors appear here", in: "#view-evaluate .placeholder")
      page.expectNoErrors(except: ["status of 404"])
    }

    @Test func `Images keep their names, and equal names are numbered`() async throws {
      let page = try await PageVisit("digits/evaluate")
      let paths = """
        import("/studio/evaluate.js").then(({ withUniquePaths }) => withUniquePaths(
          ["a/1.png", "b/1.png", "a/1.PNG", "a/1.png", "a/.x", "a/one"].map((path) => ({ path }))
        ).map(({ path }) => path))
        """
      #expect(
        try await page.value(paths).array?.compactMap(\.string) == [
          "a/1.png", "b/1.png", "a/1 (2).PNG", "a/1 (3).png", "a/.x", "a/one",
        ])
    }

    @Test func `Labeled images are evaluated`() async throws {
      let page = try await PageVisit("digits/try")
      for name in ["3-1.png", "7-1.png"] {
        try await page.drop([StudioPageTests.sample("digits/\(name)")])
        try await page.waitFor(
          "document.querySelector('.label-form input')?.value === '\(name.prefix(1))'")
        try await page.click(".label-form button")
        try await page.waitFor("Saved", in: ".label-form")
      }
      try await page.click("[role=tab]", "Evaluate")
      try await page.click(".evaluation-source:last-child button", "Evaluate")
      try await page.waitFor("Completed: 2 images evaluated", in: ".progress-text")
      page.expectNoErrors()
    }

    @Test func `An evaluation can be cancelled`() async throws {
      let page = try await PageVisit("digits/evaluate", data: [StudioHarness.heldOut])
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.click(".evaluation-progress button", "Cancel")
      try await page.waitFor(
        "/^(Canceled after|Completed)/.test(document.querySelector('.progress-text').textContent)")
      #expect(try await page.count(".evaluation-progress button") == 0)
      page.expectNoErrors()
    }
  }
}
