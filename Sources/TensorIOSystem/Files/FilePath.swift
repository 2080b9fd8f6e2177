#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is at a path.
package enum FileKind: Sendable, Hashable {
  case file, directory, other

  /// What is at a path; `nil` when there is nothing, or nothing to be seen.
  ///
  /// The corresponding C functions are `stat` and, where a link is not followed and counts as
  /// something other, `lstat`.
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

/// The questions about paths that only the file system can answer.
package enum FilePath {
  /// The path without links and without `.` and `..`; `nil` when there is nothing there.
  ///
  /// The corresponding C function is `realpath`.
  package static func resolved(_ path: String) -> String? {
    guard !path.utf8.contains(0), let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// The path without slashes at its end, unless it is the root.
  package static func removingTrailingSlashes(_ path: String) -> String {
    var path = path[...]
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = path.dropLast() }
    return String(path)
  }

  /// The folder that a path lies in.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
