import Foundation

/// The browser in which pages are looked at, where it is there.
public enum InstalledBrowser {
  /// The first browser in the search path; `nil` where there is none, which the log then says.
  public static let path: String? = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let paths = ["chromium", "chromium-browser", "google-chrome"].flatMap { name in
      folders.map { "\($0)/\(name)" }
    }
    let path = paths.first(where: FileManager.default.isExecutableFile)
    print("chromium: \(path ?? "not there, so no page is looked at")")
    return path
  }()
}
