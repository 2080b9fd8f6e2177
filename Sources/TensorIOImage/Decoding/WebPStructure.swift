/// What the chunks of a WebP say, found without decoding anything.
///
/// A WebP is a RIFF file: four letters, a length, four letters, and chunks, each with four letters, a
/// length and its content, padded to an even length.
struct WebPStructure {
  let width: Int
  let height: Int
  let orientation: ImageOrientation
  /// The file without what may follow it.
  let file: ArraySlice<UInt8>

  private static let headLength = 12

  /// Whether bytes begin as a WebP does.
  static func begins(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("RIFF".utf8))
      && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
  }

  init(_ bytes: [UInt8]) throws(ImageError) {
    let reader = ByteReader(bytes, .littleEndian)
    guard let length = reader.uint32(at: 4), Int(length) + 8 <= bytes.count else {
      throw ImageError(.truncated)
    }
    file = bytes[..<(Int(length) + 8)]
    var size: (width: Int, height: Int)?
    var orientation = ImageOrientation.up
    var chunks = Chunks(file, from: Self.headLength)
    while let chunk = try chunks.next() {
      switch chunk.name {
      case "VP8 " where size == nil: size = try Self.lossySize(chunk.content)
      case "VP8L" where size == nil: size = try Self.losslessSize(chunk.content)
      case "EXIF": orientation = Self.orientation(chunk.content) ?? orientation
      case "ANIM", "ANMF": throw ImageError(.unsupported("animated WebP"))
      default: continue
      }
    }
    guard let size else { throw ImageError(.truncated) }
    (width, height) = size
    self.orientation = orientation
  }

  /// Behind three bytes of facts and three that are always the same, each side in 14 bits.
  private static func lossySize(
    _ content: ArraySlice<UInt8>
  ) throws(ImageError) -> (width: Int, height: Int) {
    let reader = ByteReader(content, .littleEndian)
    guard let width = reader.uint16(at: 6), let height = reader.uint16(at: 8) else {
      throw ImageError(.truncated)
    }
    guard reader.bytes(in: 3..<6).elementsEqual([0x9D, 0x01, 0x2A]) else {
      throw ImageError(.damaged(problem: "no picture begins where one should"))
    }
    return (Int(width & 0x3FFF), Int(height & 0x3FFF))
  }

  /// Behind a byte that is always the same, each side less one in 14 bits.
  private static func losslessSize(
    _ content: ArraySlice<UInt8>
  ) throws(ImageError) -> (width: Int, height: Int) {
    let reader = ByteReader(content, .littleEndian)
    guard let mark = reader.uint8(at: 0), let bits = reader.uint32(at: 1) else {
      throw ImageError(.truncated)
    }
    guard mark == 0x2F else {
      throw ImageError(.damaged(problem: "no picture begins where one should"))
    }
    return (Int(bits & 0x3FFF) + 1, Int(bits >> 14 & 0x3FFF) + 1)
  }

  /// Some writers put before the metadata what belongs into a JPEG.
  private static func orientation(_ content: ArraySlice<UInt8>) -> ImageOrientation? {
    let prefix = content.starts(with: EXIF.jpegPrefix) ? EXIF.jpegPrefix.count : 0
    return EXIF.orientation(inTIFF: content.dropFirst(prefix))
  }
}

/// The chunks of a RIFF file; one that is cut off is an error.
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
    guard count <= ImageLimits.chunks else {
      throw ImageError(.unsupported("WebP with more than \(ImageLimits.chunks) chunks"))
    }
    let content = position + 8..<position + 8 + length
    defer { position = content.upperBound + length % 2 }
    return (
      String(decoding: reader.bytes(in: position..<position + 4), as: UTF8.self),
      reader.bytes(in: content)
    )
  }
}
