import COptionalLibraries
import TensorIOSystem

/// The facts in a WebP's chunks, found without decoding pixels.
///
/// A WebP is a RIFF file: `RIFF`, a length, `WEBP`, and chunks. A chunk has a four-letter name, a
/// length and content padded to an even length.
struct WebPStructure {
  let width: Int
  let height: Int
  let orientation: ImageOrientation
  /// The file without trailing bytes.
  let fileBytes: ArraySlice<UInt8>

  private static let headerLength = 12

  /// Returns whether bytes begin with a WebP signature.
  static func matches(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("RIFF".utf8))
      && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
  }

  init(_ bytes: [UInt8]) throws(ImageError) {
    let reader = ByteReader(bytes, .littleEndian)
    guard let length = reader.uint32(at: 4), Int(length) + 8 <= bytes.count else {
      throw ImageError(.truncated)
    }
    fileBytes = bytes[..<(Int(length) + 8)]
    var size: (width: Int, height: Int)?
    var orientation = ImageOrientation.up
    var chunks = Chunks(fileBytes, from: Self.headerLength)
    while let chunk = try chunks.next() {
      switch chunk.name {
      case "VP8 " where size == nil: size = try Self.lossySize(chunk.content)
      case "VP8L" where size == nil: size = try Self.losslessSize(chunk.content)
      case "EXIF": orientation = Self.orientation(chunk.content) ?? orientation
      case "ANIM", "ANMF": throw ImageError(.unsupported("an animated WebP"))
      default: continue
      }
    }
    guard let size else { throw ImageError(.truncated) }
    (width, height) = size
    self.orientation = orientation
  }

  /// Reads the size of a lossy image: 14 bits per side after a frame tag and a start code of three
  /// bytes each.
  private static func lossySize(
    _ content: ArraySlice<UInt8>
  ) throws(ImageError) -> (width: Int, height: Int) {
    let reader = ByteReader(content, .littleEndian)
    guard let width = reader.uint16(at: 6), let height = reader.uint16(at: 8) else {
      throw ImageError(.truncated)
    }
    guard reader.bytes(in: 3..<6).elementsEqual([0x9D, 0x01, 0x2A]) else {
      throw ImageError(.corrupt(message: "the start code is missing"))
    }
    return (Int(width & 0x3FFF), Int(height & 0x3FFF))
  }

  /// Reads the size of a lossless image: after a signature byte, 14 bits per side, minus one.
  private static func losslessSize(
    _ content: ArraySlice<UInt8>
  ) throws(ImageError) -> (width: Int, height: Int) {
    let reader = ByteReader(content, .littleEndian)
    guard let mark = reader.uint8(at: 0), let bits = reader.uint32(at: 1) else {
      throw ImageError(.truncated)
    }
    guard mark == 0x2F else {
      throw ImageError(.corrupt(message: "the signature byte is missing"))
    }
    return (Int(bits & 0x3FFF) + 1, Int(bits >> 14 & 0x3FFF) + 1)
  }

  /// Reads the orientation.
  ///
  /// Some writers put the prefix of JPEG segments before the metadata.
  private static func orientation(_ content: ArraySlice<UInt8>) -> ImageOrientation? {
    let prefix = content.starts(with: EXIF.jpegPrefix) ? EXIF.jpegPrefix.count : 0
    return EXIF.orientation(inTIFF: content.dropFirst(prefix))
  }
}

/// The chunks of a RIFF file.
///
/// A truncated chunk is an error.
private struct Chunks {
  private let reader: ByteReader
  private var position: Int
  private var count = 0

  init(_ file: ArraySlice<UInt8>, from position: Int) {
    reader = ByteReader(file, .littleEndian)
    self.position = position
  }

  mutating func next() throws(ImageError) -> (name: String, content: ArraySlice<UInt8>)? {
    guard position < reader.count else { return nil }
    guard let length = reader.uint32(at: position + 4).map(Int.init),
      position + 8 + length <= reader.count
    else { throw ImageError(.truncated) }
    count += 1
    guard count <= ImageLimits.maxChunks else {
      throw ImageError(.unsupported("a WebP with more than \(ImageLimits.maxChunks) chunks"))
    }
    let content = position + 8..<position + 8 + length
    defer { position = content.upperBound + length % 2 }
    return (
      String(decoding: reader.bytes(in: position..<position + 4), as: UTF8.self),
      reader.bytes(in: content)
    )
  }
}

/// Decodes with libwebp's simple interface.
enum WebPCodec {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    let webp = try WebPStructure(bytes)
    try ImageLimits.validate(width: webp.width, height: webp.height)
    let library = try WebPLibrary.standard
    let bytesPerRow = webp.width * PixelFormat.rgb.bytesPerPixel
    var isDecoded = false
    let pixels = unsafe PixelKernels.makeBytes(count: bytesPerRow * webp.height) { target in
      isDecoded = unsafe webp.fileBytes.withUnsafeBufferPointer { file in
        guard let start = file.baseAddress else { return false }
        return unsafe library.functions.pointee.WebPDecodeRGBInto(
          start, file.count, target, bytesPerRow * webp.height, Int32(bytesPerRow)) != nil
      }
    }
    guard isDecoded else { throw ImageError(.corrupt(message: "libwebp cannot decode it")) }
    return ImageBuffer(
      unchecked: pixels, width: webp.width, height: webp.height, format: .rgb,
      bytesPerRow: bytesPerRow, orientation: webp.orientation)
  }
}

/// The functions of libwebp.
///
/// The library stays loaded.
@safe package struct WebPLibrary: @unchecked Sendable {  // the table is immutable
  let functions: UnsafePointer<CWebPTable>

  #if os(macOS)
    private static let names = ["libwebp.7.dylib", "/opt/homebrew/lib/libwebp.7.dylib"]
  #else
    private static let names = ["libwebp.so.7"]
  #endif

  /// Opens the library at a path, or the first of its usual names that can be opened.
  package init(path: String? = nil) throws(ImageError) {
    do throws(DynamicLibraryError) {
      unsafe functions = try DynamicLibrary.open(path, orFirstOf: Self.names, cwebp_open)
    } catch {
      throw ImageError(.libraryMissing(error.path, message: error.message))
    }
  }

  /// The system's library, opened on first use.
  package static var standard: WebPLibrary {
    get throws(ImageError) { try opened.get() }
  }

  private static let opened = Result { () throws(ImageError) in try WebPLibrary() }

  /// The library's name and version, such as `libwebp 1.2.4`.
  package var version: String {
    let number = unsafe functions.pointee.WebPGetDecoderVersion()
    return "libwebp \(number >> 16 & 0xFF).\(number >> 8 & 0xFF).\(number & 0xFF)"
  }

  /// The command that installs the library.
  package static var recoverySuggestion: String {
    #if os(macOS)
      "brew install webp"
    #else
      "apt-get install libwebp7"
    #endif
  }
}
