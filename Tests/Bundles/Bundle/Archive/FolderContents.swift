import Foundation

/// The contents of folders created by tests.
enum FolderContents {
  static func names(in path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Returns the relative paths of all files and folders below a folder.
  static func tree(of path: String) -> [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted()
  }
}

extension ZipBuilder.Entry {
  func named(_ name: String) -> ZipBuilder.Entry {
    var entry = self
    entry.name = Array(name.utf8)
    return entry
  }
}
