import Foundation
import TensorIOTestSupport
import Testing

/// The script axe, which `Scripts/lint/javascript` installs.
private enum AxeScript {
  /// The path of the script; `nil` if it is not installed.
  static let path: String? = {
    let path = ProjectFiles.path(".build/python/lint/axe_playwright_python/axe.min.js")
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()
}

extension StudioPageTests {
  /// The rules of axe.
  @Suite(.enabled(if: AxeScript.path != nil, "axe is not installed")) struct AxeTests {
    private func expectNoViolations(_ page: PageVisit, _ name: String) async throws {
      let script = """
        axe.run(document).then(({ violations, passes }) => [
          String(passes.length > 20),
          ...violations.map(({ id, impact, nodes }) =>
            `${impact} ${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" ")}`),
        ])
        """
      let found = try await page.value(script).array?.compactMap(\.string) ?? []
      #expect(found == ["true"], "\(name): \(found)")
    }

    private func load(_ page: PageVisit) async throws {
      let source = try String(contentsOfFile: #require(AxeScript.path), encoding: .utf8)
      try await page.value(source + ";0")
    }

    @Test(arguments: [(1280, false), (800, true), (390, false), (390, true)])
    func `No state of the page violates a rule`(width: Int, isDark: Bool) async throws {
      let page = try await PageVisit(
        "digits/try",
        bundles: [
          "digits", "digits-quantized", "diabetes", "shape-detector", "shape-segmenter", "tones",
          "topics", ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle"),
        ],
        data: [StudioHarness.heldOut], width: width, height: 900, isDark: isDark)
      try await load(page)
      for address in [
        "digits/try", "digits/about", "digits/images", "digits/labels", "digits/teach",
        "diabetes/try", "shape-segmenter/try", "tones/try", "topics/try", "nothing/try",
      ] {
        try await page.value("location.hash = '#/\(address)', 0")
        try await Task.sleep(for: .milliseconds(600))
        try await expectNoViolations(page, address)
      }
      for dialog in ["open-import", "open-settings", "open-help"] {
        try await page.click("#\(dialog)")
        try await expectNoViolations(page, dialog)
        try await page.value("document.querySelector('dialog[open]').close()")
      }
      try await page.value("location.hash = '#/shape-detector/try', 0")
      // The first sample is run, whose boxes are the predictions.
      try await page.waitFor("document.querySelectorAll('.entries li').length === 4")
      try await page.click(".box-form button", "Draw the correct boxes")
      try await page.click(".box-form button", "Use the predictions")
      try await expectNoViolations(page, "boxes")
      try await page.click(".box-form button", "Save the boxes")
      try await page.waitFor("Saved", in: ".box-form")
      try await page.value("location.hash = '#/shape-detector/labels', 0")
      try await page.waitFor("document.querySelector('.annotations img')")
      try await expectNoViolations(page, "labels")
      try await page.value("location.hash = '#/shape-segmenter/try', 0")
      try await page.waitFor("document.querySelectorAll('.entries li').length === 3")
      try await page.click(".box-form button", "Draw the correct mask")
      try await page.click(".box-form button", "Use the prediction")
      try await expectNoViolations(page, "mask")
      if ShapeVideo.isAvailable {
        let folder = try TemporaryFolder()
        try await page.value("location.hash = '#/shape-detector/try', 0")
        try await page.waitFor("document.querySelectorAll('.entries li').length === 4")
        try await page.drop([try ShapeVideo.make(in: folder)])
        try await page.waitFor("frame 20 of 20", in: ".video-time")
        try await expectNoViolations(page, "video")
      }
      try await page.value("location.hash = '#/speech/try', 0")
      try await page.click(".listen-toggle")
      try await page.waitFor("Listening", in: ".listening .fine-print")
      try await expectNoViolations(page, "listening")
      try await page.click(".listen-toggle")
      try await page.waitFor("Listen", in: ".listen-toggle")
      try await page.value("location.hash = '#/digits/evaluate', 0")
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.waitFor("document.querySelector('.misclassified-item .enlarge')")
      try await expectNoViolations(page, "evaluation")
      try await page.click(".misclassified-item .enlarge")
      try await expectNoViolations(page, "enlarged")
    }

    @Test func `No part of a report violates a rule`() async throws {
      let page = try await PageVisit("digits/evaluate", data: [StudioHarness.heldOut])
      try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      try await page.waitFor("document.querySelector('.correct-cell')")
      let report = try #require(
        try await page.value("document.querySelector('.export-links a:last-child').href").string)
      let path = try #require(report.range(of: "/studio")).lowerBound
      // The report permits no scripts.
      try await page.browser.call("Page.setBypassCSP", ["enabled": .bool(true)])
      try await page.open(String(report[path...]))
      try await page.waitFor("document.querySelector('.sample .enlarge')")
      try await load(page)
      try await expectNoViolations(page, "report")
      try await page.click(".sample .enlarge")
      try await expectNoViolations(page, "enlarged")
    }
  }
}
