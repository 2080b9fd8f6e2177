/// Why a picture could not be read, prepared or written.
public struct ImageError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// The file is not there or cannot be read.
    case unreadable(message: String)
    /// The bytes begin like no picture that is known here.
    case unknownFormat
    /// The picture ends before its last pixel.
    case truncated
    /// The decoder found something impossible.
    case corrupt(message: String)
    /// Too many pixels, or a side too long, judged from the header.
    case tooLarge(width: Int, height: Int)
    /// Too many bytes to read.
    case oversizedFile(bytes: Int, limit: Int)
    /// A form of its format that is not supported.
    case unsupported(String)
    /// A library that reads such pictures, with its path, cannot be opened.
    case libraryMissing(String, message: String)
    /// A width, height or region that makes no picture.
    case invalidSize(width: Int, height: Int)
    /// The file could not be written.
    case unwritable(message: String)
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

extension ImageError: CustomStringConvertible {
  /// The short name of the reason, for scripts: kebab-case, and never changed once published.
  public var code: String {
    switch reason {
    case .unreadable: "unreadable-picture"
    case .unknownFormat: "unknown-picture-format"
    case .truncated: "truncated-picture"
    case .corrupt: "damaged-picture"
    case .tooLarge: "picture-too-large"
    case .oversizedFile: "oversized-file"
    case .unsupported: "unsupported-picture"
    case .libraryMissing: "picture-library-missing"
    case .invalidSize: "impossible-size"
    case .unwritable: "unwritable"
    }
  }

  /// One line: which file, what, and what to do.
  public var description: String {
    (file.map { "\($0): " } ?? "") + message
  }

  private var message: String {
    switch reason {
    case .unreadable(let problem): "cannot read the picture: \(problem)"
    case .unknownFormat: "not a picture that is known here; JPEG, PNG, WebP, BMP and PPM are read"
    case .truncated: "the picture is cut off"
    case .corrupt(let problem): "the picture is damaged: \(problem)"
    case .tooLarge(let width, let height):
      "a picture of \(width) × \(height) is too large; sides may have \(ImageLimits.maxSide) pixels, "
        + "the whole \(ImageLimits.maxArea)"
    case .oversizedFile(let bytes, let limit):
      "the file has \(bytes) bytes; a picture may have \(limit)"
    case .unsupported(let what): "\(what) is not supported"
    case .libraryMissing(let path, let problem):
      "WebP needs libwebp, but \(path) cannot be used (\(problem)): \(WebPLibrary.recoverySuggestion)"
    case .invalidSize(let width, let height): "no picture measures \(width) × \(height)"
    case .unwritable(let problem): "cannot write the picture: \(problem)"
    }
  }
}
