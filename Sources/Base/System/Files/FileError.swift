/// An error from reading or writing a file.
package enum FileError: Error, Sendable, Hashable {
  /// There is no file at the path.
  case notFound
  /// The path contains a NUL character, at which the system would truncate it.
  case nulInPath
  /// The path is a directory or device, or a pipe where none is allowed.
  case notARegularFile
  /// The file is larger than the limit.
  case oversized(bytes: Int, limit: Int)
  /// The file has fewer bytes than its size.
  case truncated
  /// A system call failed with an error number.
  case system(CInt)

  /// The error of the system call that has just failed.
  static var lastError: FileError {
    switch errno {
    case ENOENT, ENOTDIR: .notFound
    case let code: .system(code)
    }
  }

  /// A short description of the error.
  package var message: String {
    switch self {
    case .notFound: "no such file or directory"
    case .nulInPath: "the path contains a NUL character"
    case .notARegularFile: "not a regular file"
    case .oversized(let bytes, let limit): "the file has \(bytes) bytes; the limit is \(limit)"
    case .truncated: "the file shrank while it was read"
    case .system(let code): unsafe String(cString: strerror(code))
    }
  }
}
