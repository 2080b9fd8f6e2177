public import Foundation

/// The files of the project that tests read.
public enum ProjectFiles {
  /// The folder with `Package.swift`.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A file or folder of the project.
  public static func path(_ name: String) -> String {
    root.appending(path: name).path
  }

  /// The paths of the entries of a folder with an ending, in order of their names.
  public static func entries(of folder: String, suffix: String = "") -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []
    return names.filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }.sorted()
      .map { "\(path(folder))/\($0)" }
  }
}

/// The fixtures that lie beside the project where it is developed, and nowhere else.
///
/// A test that uses them runs when they are there and says in the log when they are not. How many
/// cases ran is compared with `Tests/shared-cases.txt`.
public enum SharedFixtures {
  /// The folder, where it is there.
  public static let folder: String? = {
    let named = ProcessInfo.processInfo.environment["TENSORIO_SHARED"]
    let path = named ?? ProjectFiles.root.deletingLastPathComponent().appending(path: "shared").path
    return FileManager.default.fileExists(atPath: path + "/fixtures") ? path : nil
  }()

  /// Whether the fixtures are there.
  public static var areAvailable: Bool { folder != nil }

  /// A file or folder among the fixtures.
  public static func path(_ name: String) -> String {
    "\(folder ?? "shared")/fixtures/\(name)"
  }

  /// The paths of the entries of a folder with an ending, in order of their names.
  public static func entries(of name: String, suffix: String = "") -> [String] {
    guard areAvailable else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []
    return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(path(name))/\($0)" }
  }

  /// The lines of a text file; none where it is not there.
  public static func lines(of name: String) -> [String] {
    guard areAvailable else { return [] }
    let text = (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }

  /// Says in the log how many cases of a kind run.
  public static func report(_ name: String, _ count: Int) {
    print(areAvailable ? "shared cases: \(name) \(count)" : "shared cases: \(name): not there")
  }
}
