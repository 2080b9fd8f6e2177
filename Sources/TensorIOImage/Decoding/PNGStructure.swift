/// What the chunks of a PNG say, found without decoding anything.
///
/// A PNG is a signature and a row of chunks: four bytes of length, four of type, content, four of
/// checksum.
struct PNGStructure {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  let width: Int
  let height: Int
  /// Whether it has neither colours nor a palette.
  let isGray: Bool
  /// Whether its pixels are indexes into a palette.
  let hasPalette: Bool
  /// Whether its pixels, not its palette, have alpha.
  let hasAlpha: Bool
  /// How many bits a channel, or an index into the palette, has.
  let bitDepth: Int
  /// Whether it is stored in seven passes, coarse ones first.
  let isInterlaced: Bool
  let orientation: ImageOrientation
  /// The picture's file with nothing but the chunks that its pixels need.
  ///
  /// The decoder gets no colour profile or gamma, which it would apply to 8-bit pixels, no
  /// compressed text, which may unpack to gigabytes, and no transparency, which is not wanted.
  let essentials: [UInt8]?

  /// Reads the header, and everything else as far as it is there.
  init(_ bytes: [UInt8]) throws(ImageError) {
    var chunks = Chunks(bytes)
    guard let header = chunks.next(), header.type == "IHDR", header.content.count == 13 else {
      throw ImageError(.truncated)
    }
    let reader = ByteReader(header.content, .bigEndian)
    guard
      let width = reader.uint32(at: 0), let height = reader.uint32(at: 4),
      let depth = reader.uint8(at: 8), let color = reader.uint8(at: 9),
      let interlacing = reader.uint8(at: 12)
    else { throw ImageError(.truncated) }
    (self.width, self.height) = (Int(width), Int(height))
    (bitDepth, isInterlaced) = (Int(depth), interlacing != 0)
    (isGray, hasPalette, hasAlpha) = (color & 3 == 0, color == 3, color & 4 != 0)
    (orientation, essentials) = try Self.rest(of: chunks, behind: header)
  }

  private static func rest(
    of chunks: consuming Chunks, behind header: Chunk
  ) throws(ImageError) -> (ImageOrientation, [UInt8]?) {
    var orientation = ImageOrientation.up
    var essentials = signature + header.whole
    var count = 1
    while let chunk = chunks.next() {
      count += 1
      guard count <= ImageLimits.chunks else {
        throw ImageError(.unsupported("PNG with more than \(ImageLimits.chunks) chunks"))
      }
      switch chunk.type {
      case "eXIf": orientation = EXIF.orientation(inTIFF: chunk.content) ?? orientation
      case "PLTE", "IDAT": essentials += chunk.whole
      case "IEND": return (orientation, essentials + chunk.whole)
      default: continue
      }
    }
    return (orientation, nil)
  }
}

/// A chunk of a PNG.
private struct Chunk {
  let type: String
  let content: ArraySlice<UInt8>
  /// The chunk with its length, type and checksum.
  let whole: ArraySlice<UInt8>
}

/// The chunks of a PNG that are there to their last byte.
private struct Chunks {
  private let reader: ByteReader
  private var position = PNGStructure.signature.count

  init(_ bytes: [UInt8]) {
    reader = ByteReader(bytes, .bigEndian)
  }

  mutating func next() -> Chunk? {
    guard let length = reader.uint32(at: position).map(Int.init) else { return nil }
    let content = position + 8..<position + 8 + length
    let end = content.upperBound + 4
    guard end <= reader.count else { return nil }
    defer { position = end }
    return Chunk(
      type: String(decoding: reader.bytes(in: position + 4..<position + 8), as: UTF8.self),
      content: reader.bytes(in: content), whole: reader.bytes(in: position..<end))
  }
}
