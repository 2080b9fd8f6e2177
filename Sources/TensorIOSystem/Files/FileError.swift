#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Why a file could not be read or written.
package enum FileError: Error, Sendable, Hashable {
  /// There is nothing at the path.
  case notFound
  /// The path has a NUL character, behind which the system would not look.
  case nulInPath
  /// What is there is a folder, a device, or a pipe where none is wanted.
  case notARegularFile
  /// There are more bytes than there may be.
  case oversized(bytes: Int, limit: Int)
  /// There were fewer bytes than the file's size had said.
  case truncated
  /// The system refuses, with this error number.
  case system(CInt)

  /// The fault of the call that has just failed.
  static var lastError: FileError {
    switch errno {
    case ENOENT, ENOTDIR: .notFound
    case let code: .system(code)
    }
  }

  /// The fault in a few words.
  package var message: String {
    switch self {
    case .notFound: "there is no such file or folder"
    case .nulInPath: "its name has a NUL character"
    case .notARegularFile: "it is not a file"
    case .oversized(let bytes, let limit): "it has \(bytes) bytes, \(limit) are allowed"
    case .truncated: "it shrank while it was read"
    case .system(let code): unsafe String(cString: strerror(code))
    }
  }
}
