#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error from reading, preparing or writing an image.
public struct ImageError: Error, Sendable, Hashable {
  /// The reason for an error.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// The file does not exist or cannot be read.
    case unreadable(message: String)
    /// The bytes have no known image signature.
    case unknownFormat
    /// The data ends before the last pixel.
    case truncated
    /// The decoder reported invalid data.
    case corrupt(message: String)
    /// The header declares too many pixels or too long a side.
    case tooLarge(width: Int, height: Int)
    /// The file is larger than the limit.
    case oversizedFile(bytes: Int, limit: Int)
    /// The file uses a feature of its format that is not supported.
    case unsupported(String)
    /// The library at the given path, which decodes the format, cannot be opened.
    case libraryMissing(String, message: String)
    /// A width, height or region is invalid.
    case invalidSize(width: Int, height: Int)
    /// The file cannot be written.
    case unwritable(message: String)
  }

  /// The reason for the error.
  public let reason: Reason
  /// The path of the file, if the image was read from or written to one.
  public var file: String?

  /// Creates an error, optionally for a file.
  public init(_ reason: Reason, file: String? = nil) {
    self.reason = reason
    self.file = file
  }
}

extension ImageError: CustomStringConvertible, LocalizedError {
  /// The description, which `localizedDescription` returns.
  public var errorDescription: String? { description }

  /// The stable identifier of the reason, for scripts.
  public var code: String {
    switch reason {
    case .unreadable: "unreadable-image"
    case .unknownFormat: "unknown-image-format"
    case .truncated: "truncated-image"
    case .corrupt: "corrupt-image"
    case .tooLarge: "image-too-large"
    case .oversizedFile: "oversized-file"
    case .unsupported: "unsupported-image"
    case .libraryMissing: "image-library-missing"
    case .invalidSize: "invalid-image-size"
    case .unwritable: "unwritable"
    }
  }

  /// One line with the file and the reason.
  public var description: String {
    (file.map { "\($0): " } ?? "") + message
  }

  private var message: String {
    switch reason {
    case .unreadable(let reason): "cannot read the image: \(reason)"
    case .unknownFormat: "unknown image format; JPEG, PNG, WebP, BMP and PPM are supported"
    case .truncated: "the image is truncated"
    case .corrupt(let reason): "the image is corrupt: \(reason)"
    case .tooLarge(let width, let height):
      "the image of \(width) × \(height) pixels is too large; the limit is \(ImageLimits.maxSide) "
        + "pixels per side and \(ImageLimits.maxArea) pixels in total"
    case .oversizedFile(let bytes, let limit):
      "the image file has \(bytes) bytes; the limit is \(limit)"
    case .unsupported(let feature): "\(feature) is not supported"
    case .libraryMissing(let path, let reason):
      "decoding WebP requires libwebp, but \(path) cannot be opened (\(reason)); install it with: "
        + WebPLibrary.recoverySuggestion
    case .invalidSize(let width, let height): "\(width) × \(height) is not a valid image size"
    case .unwritable(let reason): "cannot write the image: \(reason)"
    }
  }
}
