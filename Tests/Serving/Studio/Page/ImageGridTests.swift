import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// The tab Images: many images without labels.
  @Suite struct ImageGridTests {
    private static func heldOut(_ count: Int) throws -> [String] {
      let folder = StudioHarness.heldOut
      let files = try #require(FileManager.default.enumerator(atPath: folder))
        .compactMap { $0 as? String }.filter { $0.hasSuffix(".png") }.sorted()
      return files.prefix(count).map { folder + "/" + $0 }
    }

    private func page(
      _ files: [String], bundles: [String] = ["digits", "digits-quantized"], second: String = ""
    ) async throws -> PageVisit {
      let page = try await PageVisit("\(bundles[0])/images", bundles: bundles)
      try await page.waitFor("document.querySelector('#view-images select')")
      try await page.value("document.querySelector('#view-images select').value = '\(second)'")
      try await page.choose(files, in: "#view-images input[accept]")
      try await page.waitFor("Completed", in: "#view-images .progress-text")
      return page
    }

    private func select(_ value: String, _ title: String, _ page: PageVisit) async throws {
      try await page.value(
        """
        (() => {
          const label = [...document.querySelectorAll("#view-images label")].find((each) => each.textContent === "\(title)");
          const field = document.getElementById(label.htmlFor);
          field.value = "\(value)";
          field.dispatchEvent(new Event("change"));
        })()
        """)
    }

    private static let scores =
      "[...document.querySelectorAll('.image-cell .score')].map((each) => parseFloat(each.textContent.replace(/[<> %]/g, '')))"

    @Test func `Images are sorted by certainty and filtered by class`() async throws {
      let page = try await page(Self.heldOut(90))
      #expect(try await page.count(".image-cell") == 90)
      let scores = try #require(try await page.value(Self.scores).numbers)
      #expect(scores == scores.sorted() && scores[0] < 100)
      let counts = """
        [...document.querySelectorAll("#view-images select option")].map((each) => each.textContent)
          .filter((each) => /^\\d \\(/.test(each)).map((each) => parseInt(each.slice(3)))
        """
      let numbers = try #require(try await page.value(counts).numbers)
      #expect(numbers.reduce(0, +) == 90)
      try await select("1", "Prediction", page)
      let shown = try await page.count(".image-cell")
      #expect((10..<80).contains(shown))
      let names = "[...document.querySelectorAll('.image-cell .name')]"
      #expect(
        try await page.value("\(names).every((each) => each.textContent === '1')").bool == true)
      page.expectNoErrors()
    }

    @Test func `A cell opens its image in the tab Try`() async throws {
      let page = try await page(Self.heldOut(5))
      try await page.click(".image-cell .image-result", "")
      try await page.waitFor("location.hash === '#/digits/try'")
      try await page.waitFor("document.querySelector('.score-bars li')")
      page.expectNoErrors()
    }

    @Test func `Two models are compared, and other files are counted`() async throws {
      let files = try Self.heldOut(20) + [StudioPageTests.sample("diabetes/patient-1.json")]
      let page = try await page(files, second: "digits-quantized")
      #expect(try await page.text("#view-images .progress-text").contains("1 file left out"))
      #expect(try await page.count(".image-cell .image-prediction") == 40)
      try await page.waitFor("the models differ in", in: "#view-images")
      page.expectNoErrors()
    }

    @Test func `Results are exported`() async throws {
      let page = try await page(Self.heldOut(3))
      let exported = """
        (async () => {
          const create = URL.createObjectURL;
          let blob;
          URL.createObjectURL = (each) => { blob = each; return create.call(URL, each); };
          [...document.querySelectorAll("#view-images button")].find((each) => each.textContent === "CSV").click();
          URL.createObjectURL = create;
          return await blob.text();
        })()
        """
      let lines = try #require(try await page.value(exported).string).split(separator: "\r\n")
      #expect(lines.count == 4 && lines[0] == "image,prediction,score,error")
      #expect(lines[1].contains(".png,"))
    }

    @Test func `Boxes are drawn, and files that are not images have their error`() async throws {
      let folder = try TemporaryFolder()
      let broken = folder.path + "/broken.png"
      try Data("no image".utf8).write(to: URL(filePath: broken))
      let samples = StudioHarness.bundle("shape-detector") + "/samples"
      let names = try FileManager.default.contentsOfDirectory(atPath: samples).sorted()
      let image = try "\(samples)/\(#require(names.first))"
      let page = try await page([image, broken], bundles: ["shape-detector"])
      try await page.waitFor("1 could not be read", in: "#view-images .progress-text")
      #expect(try await page.count(".image-cell .error") == 1)
      let drawn = """
        [...document.querySelectorAll(".image-cell canvas")].some((canvas) => canvas.width > 0 &&
          canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((each) => each > 0))
        """
      try await page.waitFor(drawn)
    }

    @Test func `More images than Try lists are run in the tab Images`() async throws {
      let page = try await PageVisit("digits/try", bundles: ["digits"])
      try await page.waitFor("document.querySelector('.score-bars li')")
      try await page.choose(try Self.heldOut(70), in: "#files")
      try await page.waitFor("document.querySelectorAll('.image-cell').length === 70")
      #expect(try await page.value("location.hash").string == "#/digits/images")
      page.expectNoErrors()
    }
  }
}
