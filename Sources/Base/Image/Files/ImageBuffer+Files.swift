import TensorIOSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ImageBuffer {
  /// Decodes an image file: JPEG, PNG, WebP, BMP or PPM, detected from its contents.
  ///
  /// Gray images are decoded as ``PixelFormat/gray``, all others as ``PixelFormat/rgb``; alpha is
  /// dropped.
  ///
  /// - Throws: ``ImageError`` if the file cannot be read, is too large, corrupt or truncated.
  public init(
    contentsOf path: String, decoding options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    do throws(ImageError) {
      try self.init(decoding: ImageFile.read(path), options)
    } catch {
      throw error.with(file: path)
    }
  }

  /// Decodes an image file in memory.
  public init(
    decoding bytes: [UInt8], _ options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    try ImageLimits.validate(fileBytes: bytes.count)
    switch ImageFileFormat(beginningOf: bytes) {
    case .jpeg: self = try JPEGCodec.decode(bytes, options)
    case .png: self = try PNGCodec.decode(bytes)
    case .bmp: self = try BMPDecoder.decode(bytes)
    case .webp: self = try WebPCodec.decode(bytes)
    case .ppm: self = try PNMDecoder.decode(bytes)
    case nil: throw ImageError(bytes.isEmpty ? .truncated : .unknownFormat)
    }
    if let orientation = options.orientation { self.orientation = orientation }
  }
}

extension ImageError {
  /// Returns the error with the path of a file, unless it already has one.
  func with(file path: String) -> ImageError {
    ImageError(reason, file: file ?? path)
  }
}

extension ImageBuffer {
  /// Encodes the image, upright, as a file.
  public func encoded(as encoding: ImageEncoding) throws(ImageError) -> [UInt8] {
    switch encoding {
    case .png: try PNGCodec.encode(upright())
    case .jpeg(let quality): try JPEGCodec.encode(upright(), quality: quality)
    }
  }

  /// Writes the image, upright, in the format of the path's extension: `.png`, `.jpg` or `.jpeg`.
  ///
  /// The write is atomic and replaces an existing file.
  public func write(to path: String) throws(ImageError) {
    do throws(ImageError) {
      guard let encoding = ImageEncoding(path: path) else {
        throw ImageError(.unsupported("writing an image to a file other than .png and .jpg"))
      }
      try ImageFile.write(encoded(as: encoding), to: path)
    } catch {
      throw error.with(file: path)
    }
  }
}

extension ImageBuffer {
  /// Returns a gray PNG with 16 bits per pixel.
  package static func png16(
    width: Int, height: Int, pixels: [UInt16]
  ) throws(ImageError) -> [UInt8] {
    try PNGCodec.encode16(width: width, height: height, pixels)
  }
}

/// The formats in which images can be written.
public enum ImageEncoding: Sendable, Hashable {
  /// Lossless.
  case png
  /// Lossy, with a quality from 1 to 100.
  case jpeg(quality: Int = 90)

  /// Creates the encoding for a path's extension, or `nil` if there is none.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    switch path[path.index(after: dot)...].lowercased() {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpeg()
    default: return nil
    }
  }
}

/// Reading and writing of image files.
enum ImageFile {
  /// Returns the contents of a file or pipe.
  static func read(_ path: String) throws(ImageError) -> [UInt8] {
    do {
      return try FileBytes.contents(of: path, limit: ImageLimits.maxFileBytes, .any)
    } catch {
      throw ImageError(error.reason)
    }
  }

  /// Writes a file atomically.
  static func write(_ bytes: [UInt8], to path: String) throws(ImageError) {
    do {
      try AtomicFile.write(bytes, to: path, isDurable: false)
    } catch {
      throw ImageError(.unwritable(message: error.message))
    }
  }
}

extension FileError {
  fileprivate var reason: ImageError.Reason {
    switch self {
    case .oversized(let bytes, let limit): .oversizedFile(bytes: bytes, limit: limit)
    case .notFound, .nulInPath, .notARegularFile, .truncated, .system: .unreadable(message: message)
    }
  }
}

extension ImageBuffer {
  /// Decodes an image file: JPEG, PNG, WebP, BMP or PPM, detected from its contents.
  public init(
    contentsOf url: URL, decoding options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    try self.init(contentsOf: url.localPath(), decoding: options)
  }

  /// Decodes an image file in memory.
  public init(
    decoding data: Data, _ options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    try self.init(decoding: Array(data), options)
  }

  /// Writes the image, upright, in the format of the URL's extension: `.png`, `.jpg` or `.jpeg`.
  public func write(to url: URL) throws(ImageError) {
    try write(to: url.localPath())
  }
}

extension URL {
  fileprivate func localPath() throws(ImageError) -> String {
    guard isFileURL else {
      throw ImageError(.unreadable(message: "not a file URL"), file: absoluteString)
    }
    return path
  }
}
