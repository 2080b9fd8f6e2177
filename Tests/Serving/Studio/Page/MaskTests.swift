import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Masks as labels.
  @Suite struct MaskTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func page(width: Int = 1280, isDark: Bool = false) async throws -> PageVisit {
      let page = try await PageVisit(
        "shape-segmenter/try", bundles: ["shape-segmenter"], width: width, isDark: isDark)
      try await page.waitFor("document.querySelectorAll('.entries li').length === 3")
      try await page.click(".box-form button", "Draw the correct mask")
      try await page.waitFor("document.querySelector('.mask-editor')")
      return page
    }

    /// Waits until classes are listed with shares of the image, in their order.
    private func waitForShares(_ page: PageVisit, _ names: [String]) async throws {
      let items = "[...document.querySelectorAll('.box-list li')]"
      let list = "\(items).map((each) => each.children[1].textContent).join()"
      try await page.waitFor("\(list) === \(names.joined(separator: ",").script)")
    }

    /// The number of painted pixels of the canvas.
    private func paintedCount(_ page: PageVisit) async throws -> Double {
      let script = """
        (() => {
          const canvas = document.querySelector(".mask-canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return data.filter((value, index) => index % 4 === 3 && value > 0).length;
        })()
        """
      return try #require(try await page.value(script).number)
    }

    private func choose(_ page: PageVisit, _ label: String) async throws {
      let script = """
        (() => {
          const field = document.querySelector(".box-actions select");
          field.value = [...field.options].find((each) => each.textContent === \(label.script)).value;
          field.dispatchEvent(new Event("change"));
        })()
        """
      try await page.value(script)
    }

    @Test func `Classes are painted and erased with the pointer, step by step`() async throws {
      let page = try await page()
      #expect(try await paintedCount(page) == 0)
      try await page.dragInView(from: (0.4, 0.3), to: (0.6, 0.3))
      try await waitForShares(page, ["circle"])
      let line = try await paintedCount(page)
      #expect(line > 100)
      try await choose(page, "square")
      try await page.dragInView(from: (0.4, 0.7), to: (0.4, 0.7))
      try await waitForShares(page, ["circle", "square"])
      #expect(try await paintedCount(page) > line)
      try await page.click(".box-actions button", "Eraser")
      try await page.dragInView(from: (0.38, 0.3), to: (0.62, 0.3))
      try await waitForShares(page, ["square"])
      for names in [["circle", "square"], ["circle"], []] {
        try await page.click(".box-actions button", "Undo")
        try await waitForShares(page, names)
      }
      try await page.waitFor("[...document.querySelectorAll('.box-actions button')][1].disabled")
      #expect(try await paintedCount(page) == 0)
      page.expectNoErrors()
    }

    @Test(arguments: [(1280, false), (800, true), (390, false)])
    func `Classes are painted with the keyboard`(width: Int, isDark: Bool) async throws {
      let page = try await page(width: width, isDark: isDark)
      try await page.waitFor("document.activeElement.classList.contains('mask-editor')")
      try await page.press(" ", code: 32)
      try await waitForShares(page, ["circle"])
      let dab = try await paintedCount(page)
      // A brush that only moves paints nothing.
      try await page.press("ArrowRight", code: 39)
      #expect(try await paintedCount(page) == dab)
      for _ in 0..<3 { try await page.press("ArrowDown", code: 40, modifiers: 8) }
      let stroke = try await paintedCount(page)
      #expect(stroke > dab)
      try await page.press("z", code: 90, modifiers: 2)
      let undone = try await paintedCount(page)
      #expect(undone < stroke && undone > dab)
      try await page.press("+", code: 187)
      try await page.press("Delete", code: 46)
      #expect(try await paintedCount(page) < undone)
      let scrollWidth = try await page.value("document.documentElement.scrollWidth").number
      #expect(scrollWidth == Double(width))
      page.expectNoErrors()
    }

    @Test func `Masks are exported as a dataset that evaluate reads, and evaluated in the page`()
      async throws
    {
      let page = try await page()
      try await page.click(".box-form button", "Use the prediction")
      try await waitForShares(page, ["cross", "triangle", "star"])
      // A square, where the model finds none.
      try await choose(page, "square")
      try await page.dragInView(from: (0.5, 0.55), to: (0.5, 0.55))
      try await waitForShares(page, ["cross", "triangle", "star", "square"])
      try await page.click(".box-form button", "Save the mask")
      try await page.waitFor("Saved: cross, triangle, star, square", in: ".box-form")
      #expect(try await page.text(".box-form button") == "Edit your mask")
      // What has been saved is edited again.
      try await page.click(".box-form button", "Edit your mask")
      try await waitForShares(page, ["cross", "triangle", "star", "square"])
      try await page.click(".box-form button", "Cancel")
      try await page.click("[role=tab]", "Labels")
      try await page.waitFor("cross, triangle, star, square", in: ".annotations td")
      let zip = folder.path + "/masks.zip"
      try Data(try await page.exportedDataset()).write(to: URL(filePath: zip))
      let names = try ZipFiles.unpack(zip, into: folder.path)
      #expect(
        names == [
          "shape-segmenter-data/images/0001-1.jpg", "shape-segmenter-data/masks/0001-1.png",
        ])
      let report = folder.path + "/report.json"
      let outcome = TestConsole.run([
        "evaluate", StudioHarness.bundle("shape-segmenter"),
        folder.path + "/shape-segmenter-data", "--report", report,
      ])
      #expect(outcome.exitCode == 0, "\(outcome)")
      let metrics = try JSONTree(String(contentsOfFile: report, encoding: .utf8))[0]?["metrics"]
      let accuracy = try #require(metrics?["pixel_accuracy"]?.number)
      // All pixels but those of the square are the prediction.
      #expect(accuracy < 1 && accuracy > 0.98, "\(metrics?.text ?? "")")
      try await page.evaluateLabels("1 image")
      let percent = (accuracy * 1000).rounded() / 10
      try await page.waitFor("\(percent)", in: "#view-evaluate td")
      page.expectNoErrors()
    }
  }
}
