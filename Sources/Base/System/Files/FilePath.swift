/// The type of an item in the file system.
package enum FileKind: Sendable, Hashable {
  case file, directory, other

  /// The type of the item at a path; `nil` if there is none or it is inaccessible.
  ///
  /// The corresponding C functions are `stat` and, if symbolic links are not followed, `lstat`. A
  /// link that is not followed is ``other``.
  package init?(at path: String, followingSymlinks: Bool = true) {
    guard !path.utf8.contains(0) else { return nil }
    var status = stat()
    let result = unsafe followingSymlinks ? stat(path, &status) : lstat(path, &status)
    guard result == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .directory
    default: self = .other
    }
  }
}

/// Operations on paths.
package enum FilePath {
  /// Returns the path without symbolic links, `.` and `..`; `nil` if it does not exist.
  ///
  /// The corresponding C function is `realpath`.
  package static func resolved(_ path: String) -> String? {
    guard !path.utf8.contains(0), let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Returns the path without trailing slashes, unless it is the root.
  package static func removingTrailingSlashes(_ path: String) -> String {
    var path = path[...]
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = path.dropLast() }
    return String(path)
  }

  /// Returns the directory that contains a path.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the last component of a path, ignoring trailing slashes; the path itself for the root.
  package static func lastComponent(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Returns the last component of a path without its extension.
  ///
  /// A leading dot does not begin an extension: the stem of `.cache` is `.cache`.
  package static func stem(of path: String) -> String {
    let name = lastComponent(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Returns the extension of a path's last component in lower case, without the dot; empty if it
  /// has none.
  package static func pathExtension(of path: String) -> String {
    let name = lastComponent(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
