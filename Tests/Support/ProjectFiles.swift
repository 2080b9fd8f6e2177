public import Foundation

/// The files of the project that tests read.
public enum ProjectFiles {
  /// The folder with `Package.swift`.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the path of a file or folder of the project.
  public static func path(_ name: String) -> String {
    root.appending(path: name).path
  }

  /// Returns the paths of the entries of a folder with a suffix, sorted by name.
  public static func entries(of folder: String, suffix: String = "") -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []
    return names.filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }.sorted()
      .map { "\(path(folder))/\($0)" }
  }
}

/// Fixtures outside the repository, which are available only in the development environment.
///
/// They add published models to the suites, which are complete without them (`CaseCount`).
public enum SharedFixtures {
  /// The folder, or `nil` if it is not available.
  public static let folder: String? = {
    let named = ProcessInfo.processInfo.environment["TENSORIO_SHARED"]
    let path = named ?? ProjectFiles.root.deletingLastPathComponent().appending(path: "shared").path
    return FileManager.default.fileExists(atPath: path + "/fixtures") ? path : nil
  }()

  /// Whether the fixtures are available.
  public static var areAvailable: Bool { folder != nil }

  /// Returns the path of a fixture.
  public static func path(_ name: String) -> String {
    "\(folder ?? "shared")/fixtures/\(name)"
  }

  /// Returns the paths of the entries of a folder with a suffix, sorted by name.
  public static func entries(of name: String, suffix: String = "") -> [String] {
    guard areAvailable else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []
    return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(path(name))/\($0)" }
  }

  /// Returns the lines of a text file, or none if it is not available.
  public static func lines(of name: String) -> [String] {
    guard areAvailable else { return [] }
    let text = (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }
}
