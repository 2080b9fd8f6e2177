/// By what one sees, without reading them, that the files in a folder are the same as before.
package struct FolderStamp: Sendable, Equatable {
  private var files: [String: FileStamp] = [:]

  /// The stamp of what lies in a folder, and in those in it.
  package init(_ path: String) {
    add(path)
  }

  private mutating func add(_ folder: String) {
    for name in (try? Folder.names(in: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      if FileKind(at: path, followingLinks: false) == .folder {
        add(path)
      } else {
        files[path] = FileStamp(path)
      }
    }
  }
}
