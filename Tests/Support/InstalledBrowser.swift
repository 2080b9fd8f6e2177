import Foundation

/// The browser for tests of HTML pages.
public enum InstalledBrowser {
  /// The path of the first browser in `PATH`, or `nil` if there is none; the result is logged.
  public static let path: String? = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let paths = ["chromium", "chromium-browser", "google-chrome"].flatMap { name in
      folders.map { "\($0)/\(name)" }
    }
    let path = paths.first(where: FileManager.default.isExecutableFile)
    print("chromium: \(path ?? "not found; page tests are skipped")")
    return path
  }()
}
