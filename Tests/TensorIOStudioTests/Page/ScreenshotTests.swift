import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// The page's main views, wide and on a phone, in the light and in the dark.
  ///
  /// With `TENSORIO_RECORD` set they become those of the documentation.
  @Suite struct Screenshots {
    struct View: Sendable, CustomTestStringConvertible {
      let name: String
      let address: String
      let isThere: String
      var height = 900

      var testDescription: String { name }
    }

    static let views = [
      View(
        name: "labels", address: "digits/try",
        isThere: "document.querySelectorAll('.bars li').length === 5"),
      View(
        name: "boxes", address: "shape-detector/try",
        isThere: "document.querySelectorAll('.found li').length === 4"),
      View(name: "numbers", address: "diabetes/try", isThere: "document.querySelector('.figure')"),
      View(
        name: "evaluation", address: "digits/evaluate",
        isThere: "document.querySelector('.confusion')", height: 1560),
    ]

    @Test(arguments: views)
    func `the main views are drawn`(view: View) async throws {
      let page = try await PageVisit(
        view.address,
        bundles: ["digits", "digits-quantized", "diabetes", "pencil", "shape-detector"],
        data: [StudioBench.heldOut])
      if view.name == "evaluation" { try await page.click(".choice:nth-child(2) button", "Judge") }
      try await page.waitFor(view.isThere)
      for (screen, width) in [("wide", 1280), ("phone", 390)] {
        try await page.size(width, view.height)
        for isDark in [false, true] {
          try await page.paint(isDark: isDark)
          try await Task.sleep(for: .milliseconds(300))
          let name = "\(view.name)-\(screen)-\(isDark ? "dark" : "light").png"
          let picture = try await page.picture()
          #expect((5000..<300_000).contains(picture.count), "\(name): \(picture.count) bytes")
          try Self.keep(picture, as: name)
        }
      }
      page.expectPeace()
    }

    private static func keep(_ picture: [UInt8], as name: String) throws {
      let isRecording = ProcessInfo.processInfo.environment["TENSORIO_RECORD"] != nil
      let folder = ProjectFiles.path(isRecording ? "Documentation/Studio" : ".build/studio")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(picture).write(to: URL(filePath: "\(folder)/\(name)"))
    }
  }
}
