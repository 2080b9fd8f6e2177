import TensorIOSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ImageBuffer {
  /// A picture from a file: JPEG, PNG, WebP, BMP or PPM, whatever its name ends in.
  ///
  /// Gray pictures become ``PixelFormat/gray``, all others ``PixelFormat/rgb``; alpha is dropped.
  /// A file that is too large, damaged or cut off is refused.
  public init(
    contentsOf path: String, decoding options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    do throws(ImageError) {
      try self.init(decoding: ImageFile.read( path), options)
    } catch {
      throw error.with(file: path)
    }
  }

  /// A picture from the bytes of its file.
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
  /// The same error, told of the file it concerns.
  func with(file path: String) -> ImageError {
    ImageError(reason, file: file ?? path)
  }
}

extension ImageBuffer {
  /// The bytes of the picture's file, upright.
  public func encoded(as encoding: ImageEncoding) throws(ImageError) -> [UInt8] {
    switch encoding {
    case .png: try PNGCodec.encode(upright())
    case .jpeg(let quality): try JPEGCodec.encode(upright(), quality: quality)
    }
  }

  /// Writes the picture, upright, in the format that the ending of the name asks for.
  ///
  /// The file appears complete or not at all; one that is there is replaced.
  public func write(to path: String) throws(ImageError) {
    do throws(ImageError) {
      guard let encoding = ImageEncoding(path: path) else {
        throw ImageError(.unsupported("writing a picture whose name ends in neither .png nor .jpg"))
      }
      try ImageFile.write(encoded(as: encoding), to: path)
    } catch {
      throw error.with(file: path)
    }
  }
}

/// The formats in which pictures are written.
public enum ImageEncoding: Sendable, Hashable {
  /// Lossless.
  case png
  /// Lossy, with a quality from 1 to 100.
  case jpeg(quality: Int = 90)

  /// The format that a file's name asks for by its ending, or `nil`.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    switch path[path.index(after: dot)...].lowercased() {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpeg()
    default: return nil
    }
  }
}

/// Pictures as files.
enum ImageFile {
  /// The bytes of a picture's file, or of a pipe that gives them.
  static func read(_ path: String) throws(ImageError) -> [UInt8] {
    do {
      return try FileBytes.contents(of: path, limit: ImageLimits.maxFileBytes, .any)
    } catch {
      throw ImageError(error.reason)
    }
  }

  /// Writes a picture's file, completely or not at all.
  static func write(_ bytes: [UInt8], to path: String) throws(ImageError) {
    do {
      try AtomicFile.write(bytes, to: path)
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
  /// A picture from a file: JPEG, PNG or BMP, whatever its name ends in.
  public init(
    contentsOf url: URL, decoding options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    try self.init(contentsOf: url.localPath(), decoding: options)
  }

  /// A picture from the bytes of its file.
  public init(
    decoding data: Data, _ options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    try self.init(decoding: Array(data), options)
  }

  /// Writes the picture, upright, in the format that the ending of the name asks for.
  public func write(to url: URL) throws(ImageError) {
    try write(to: url.localPath())
  }
}

extension URL {
  fileprivate func localPath() throws(ImageError) -> String {
    guard isFileURL else {
      throw ImageError(.unreadable(message: "is not a file"), file: absoluteString)
    }
    return path
  }
}
