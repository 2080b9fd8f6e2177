import Foundation
import TensorIOTestSupport

/// The installed Chromium browser.
struct Chromium: Sendable {
  /// The installed browser, or `nil`.
  static let installed = InstalledBrowser.path.map(Chromium.init)

  let path: String

  /// Returns the elements of a page after its scripts have run.
  func elements(of page: String, width: Int = 1200, isDark: Bool = false) throws -> String {
    try run(["--dump-dom"], page, width: width, height: 2400, isDark: isDark)
  }

  /// Writes a screenshot of the upper part of a page to a PNG file.
  func takeScreenshot(
    of page: String, to path: String, width: Int = 1200, height: Int = 2400, isDark: Bool = false
  ) throws {
    _ = try run(
      ["--screenshot=\(path)", "--hide-scrollbars"], page, width: width, height: height,
      isDark: isDark)
  }

  private func run(
    _ arguments: [String], _ page: String, width: Int, height: Int, isDark: Bool
  ) throws -> String {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments =
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--user-data-dir=\(folder.path)/profile", "--window-size=\(width),\(height)",
        "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)",
      ] + arguments + [URL(filePath: page).absoluteString]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }
}
