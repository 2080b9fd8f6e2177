import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Boxes and numbers as labels.
  @Suite struct BoxTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func page(width: Int = 1280, isDark: Bool = false) async throws -> PageVisit {
      let page = try await PageVisit(
        "shape-detector/try", bundles: ["shape-detector"], width: width, isDark: isDark)
      try await page.waitFor("document.querySelectorAll('.entries li').length === 4")
      try await page.click(".box-form button", "Draw the correct boxes")
      try await page.waitFor("document.querySelector('.box-editor')")
      return page
    }

    private func boxes(_ page: PageVisit) async throws -> [String] {
      let texts = "[...document.querySelectorAll('.drawn-box')].map((each) => each.ariaLabel)"
      return try await page.value(texts).array?.compactMap(\.string) ?? []
    }

    @Test func `Boxes are drawn, moved and resized with the pointer`() async throws {
      let page = try await page()
      try await page.dragInView(from: (0.4, 0.2), to: (0.6, 0.5))
      let drawn = try #require(try await boxes(page).first)
      try await page.dragInView(from: (0.5, 0.35), to: (0.55, 0.45))
      let moved = try #require(try await boxes(page).first)
      #expect(
        moved != drawn && moved.split(separator: ";").last == drawn.split(separator: ";").last)
      try await page.dragInView(from: (0.65, 0.6), to: (0.6, 0.55))
      let resized = try #require(try await boxes(page).first)
      #expect(resized.split(separator: ";").first == moved.split(separator: ";").first)
      #expect(resized != moved)
      // A click draws nothing, and boxes stay in the image.
      try await page.dragInView(from: (0.4, 0.8), to: (0.4, 0.8))
      #expect(try await boxes(page).count == 1)
      try await page.dragInView(from: (0.5, 0.5), to: (0.99, 0.99))
      let isInside = """
        [...document.querySelectorAll(".drawn-box")].every((each) => {
          const [box, view] = [each, document.querySelector(".input-view")].map((node) => node.getBoundingClientRect());
          return box.bottom <= view.bottom && box.right <= view.right;
        })
        """
      #expect(try await page.value(isInside).bool == true)
      page.expectNoErrors()
    }

    @Test(arguments: [(1280, false), (800, true), (390, false)])
    func `Boxes are drawn with the keyboard`(width: Int, isDark: Bool) async throws {
      let page = try await page(width: width, isDark: isDark)
      try await page.click(".box-form button", "Add a box")
      #expect(try await boxes(page) == ["circle, at 90, 120; 180 × 240"])
      try await page.press("ArrowRight", code: 39)
      #expect(try await boxes(page) == ["circle, at 95, 120; 180 × 240"])
      try await page.press("ArrowUp", code: 38, modifiers: 2)
      #expect(try await boxes(page) == ["circle, at 95, 119; 180 × 240"])
      try await page.press("ArrowDown", code: 40, modifiers: 8)
      #expect(try await boxes(page) == ["circle, at 95, 119; 180 × 245"])
      let scrollWidth = try await page.value("document.documentElement.scrollWidth").number
      #expect(scrollWidth == Double(width))
      try await page.press("Delete", code: 46)
      #expect(try await boxes(page).isEmpty)
      page.expectNoErrors()
    }

    @Test func `Boxes are exported as a dataset that evaluate reads`() async throws {
      let page = try await page()
      try await page.click(".box-form button", "Use the predictions")
      #expect(try await boxes(page).count == 4)
      let change = """
        (() => {
          const field = document.querySelector(".box-list select");
          field.value = "star";
          field.dispatchEvent(new Event("change"));
          return field.options.length;
        })()
        """
      #expect(try await page.value(change).number == 5, "the labels of the model")
      try await page.click(".box-form button", "Save the boxes")
      try await page.waitFor("Saved: 4 boxes", in: ".box-form")
      #expect(try await page.text(".box-form button") == "Edit your boxes")
      try await page.click("[role=tab]", "Labels")
      try await page.waitFor("1 star, 2 circle, 1 square", in: ".annotations td")
      let zip = folder.path + "/boxes.zip"
      try Data(try await page.exportedDataset()).write(to: URL(filePath: zip))
      let names = try ZipFiles.unpack(zip, into: folder.path)
      #expect(
        names == [
          "shape-detector-data/annotations.json", "shape-detector-data/images/0001-1.jpg",
        ])
      let report = folder.path + "/report.json"
      let outcome = TestConsole.run([
        "evaluate", StudioHarness.bundle("shape-detector"), folder.path + "/shape-detector-data",
        "--report", report,
      ])
      #expect(outcome.exitCode == 0, "\(outcome)")
      let text = try String(contentsOfFile: report, encoding: .utf8)
      let metrics = try JSONTree(text)[0]?["metrics"]
      // The circles and the square are found, and the star is a triangle.
      #expect(abs((metrics?["map50"]?.number ?? 0) - 2.0 / 3) < 1e-6, "\(metrics?.text ?? "")")
      // The same labels are evaluated in the page.
      try await page.evaluateLabels("1 image")
      let map50 = try await page.value("document.querySelector('#view-evaluate').textContent")
        .string
      #expect(map50?.contains("66.7") == true, "\(map50 ?? "")")
      page.expectNoErrors()
    }

    @Test func `Numbers are labels, and exported as a table`() async throws {
      let page = try await PageVisit("diabetes/try", bundles: ["diabetes"])
      try await page.waitFor("142.9", in: ".scalar-output")
      try await page.type("150.5", into: ".label-form input")
      try await page.click(".label-form button")
      try await page.waitFor("Saved: 150.5, predicted as 142.9", in: ".label-form")
      try await page.click("[role=tab]", "Labels")
      try await page.waitFor("off by 7.6", in: ".annotations td")
      let table = folder.path + "/data.csv"
      let bytes = try await page.exportedDataset()
      try Data(bytes).write(to: URL(filePath: table))
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
      #expect(lines.first == "age,sex,bmi,bp,s1,s2,s3,s4,s5,s6,progression" && lines.count == 2)
      let outcome = TestConsole.run(["evaluate", StudioHarness.bundle("diabetes"), table])
      #expect(outcome.exitCode == 0 && outcome.output.contains("7.6"), "\(outcome)")
      try await page.evaluateLabels("1 input")
      page.expectNoErrors()
    }
  }
}
