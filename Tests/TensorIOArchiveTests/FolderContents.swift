import Foundation

/// What is in folders that tests have made.
enum FolderContents {
  static func names(in path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// The names of all that is below a folder.
  static func tree(of path: String) -> [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted()
  }
}

extension ZipMaker.Entry {
  func named(_ name: String) -> ZipMaker.Entry {
    var entry = self
    entry.name = Array(name.utf8)
    return entry
  }
}
