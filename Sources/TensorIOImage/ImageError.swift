/// Why a picture could not be read, prepared or written.
public struct ImageError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// The file is not there or cannot be read.
    case unreadable(problem: String)
    /// The bytes begin like no picture that is known here.
    case unknownFormat
    /// The picture ends before its last pixel.
    case truncated
    /// The decoder found something impossible.
    case damaged(problem: String)
    /// Too many pixels, or a side too long, judged from the header.
    case tooLarge(width: Int, height: Int)
    /// Too many bytes to read.
    case oversizedFile(bytes: Int, limit: Int)
    /// A form of its format that is not supported.
    case unsupported(String)
    /// A library that reads such pictures, with its path, cannot be opened.
    case libraryMissing(String, problem: String)
    /// A width, height or region that makes no picture.
    case impossibleSize(width: Int, height: Int)
    /// The file could not be written.
    case unwritable(problem: String)
  }

  /// What went wrong.
  public let reason: Reason
  /// The file, where the picture came from one.
  public var file: String?

  /// A failure, possibly of a file.
  public init(_ reason: Reason, file: String? = nil) {
    self.reason = reason
    self.file = file
  }
}
