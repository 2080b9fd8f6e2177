import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Screenshots of the page's main views, wide and narrow, in light and dark colors.
  ///
  /// With `TENSORIO_RECORD` set, they replace those in the documentation.
  @Suite struct ScreenshotTests {
    struct View: Sendable, CustomTestStringConvertible {
      let name: String
      let address: String
      let isReady: String
      var height = 900

      var testDescription: String { name }
    }

    static let views = [
      View(
        name: "labels", address: "digits/try",
        isReady: "document.querySelectorAll('.score-bars li').length === 5"),
      View(
        name: "boxes", address: "shape-detector/try",
        isReady: "document.querySelectorAll('.entries li').length === 4"),
      View(
        name: "numbers", address: "diabetes/try",
        isReady: "document.querySelector('.scalar-output')"),
      View(
        name: "evaluation", address: "digits/evaluate",
        isReady: "document.querySelector('.correct-cell')", height: 1560),
    ]

    @Test(arguments: views)
    func `The main views are rendered`(view: View) async throws {
      let page = try await PageVisit(
        view.address,
        bundles: ["digits", "digits-quantized", "diabetes", "pencil", "shape-detector"],
        data: [StudioHarness.heldOut])
      if view.name == "evaluation" {
        try await page.click(".evaluation-source:nth-child(2) button", "Evaluate")
      }
      try await page.waitFor(view.isReady)
      for (screen, width) in [("wide", 1280), ("phone", 390)] {
        try await page.setSize(width, view.height)
        for isDark in [false, true] {
          try await page.setColorScheme(isDark: isDark)
          try await Task.sleep(for: .milliseconds(300))
          let name = "\(view.name)-\(screen)-\(isDark ? "dark" : "light").png"
          let screenshot = try await page.screenshot()
          #expect((5000..<300_000).contains(screenshot.count), "\(name): \(screenshot.count) bytes")
          try Self.save(screenshot, as: name)
        }
      }
      page.expectNoErrors()
    }

    private static func save(_ screenshot: [UInt8], as name: String) throws {
      let isRecording = ProcessInfo.processInfo.environment["TENSORIO_RECORD"] != nil
      let folder = ProjectFiles.path(isRecording ? "Documentation/Studio" : ".build/studio")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(screenshot).write(to: URL(filePath: "\(folder)/\(name)"))
    }
  }
}
