/// The header of a BMP: what the picture is like and where its pixels lie.
struct BMPStructure {
  let width: Int
  let height: Int
  /// Whether the last row comes first, as is usual.
  let isBottomUp: Bool
  let bitsPerPixel: Int
  /// Where the pixels begin.
  let pixels: Int
  /// Where the palette begins, and how many colours it has.
  let palette: (position: Int, count: Int)
  /// Where in a pixel blue, green and red lie.
  let channels: (blue: Int, green: Int, red: Int)

  init(_ bytes: [UInt8]) throws(ImageError) {
    let reader = ByteReader(bytes, .littleEndian)
    guard
      let pixels = reader.uint32(at: 10), let headerSize = reader.uint32(at: 14),
      let width = reader.int32(at: 18), let height = reader.int32(at: 22),
      let bits = reader.uint16(at: 28), let compression = reader.uint32(at: 30),
      let colors = reader.uint32(at: 46)
    else { throw ImageError(.truncated) }
    guard headerSize >= 40 else { throw ImageError(.unsupported("BMP of OS/2")) }
    guard [8, 24, 32].contains(bits) else {
      throw ImageError(.unsupported("BMP with \(bits) bits per pixel"))
    }
    (self.width, self.height) = (Int(width), Int(height.magnitude))
    isBottomUp = height > 0
    bitsPerPixel = Int(bits)
    self.pixels = Int(pixels)
    palette = (14 + Int(headerSize), colors == 0 ? 256 : min(Int(colors), 256))
    channels = try Self.channels(compression: compression, bits: bits, reader)
  }

  /// The bytes of a row, which is padded to four.
  var bytesPerRow: Int { (width * bitsPerPixel / 8 + 3) / 4 * 4 }

  private static func channels(
    compression: UInt32, bits: UInt16, _ reader: ByteReader
  ) throws(ImageError) -> (blue: Int, green: Int, red: Int) {
    let (uncompressed, bitFields): (UInt32, UInt32) = (0, 3)
    if compression == uncompressed { return (0, 1, 2) }
    guard compression == bitFields, bits == 32 else {
      throw ImageError(.unsupported("BMP with compression \(compression)"))
    }
    guard
      let red = byte(of: reader.uint32(at: 54)), let green = byte(of: reader.uint32(at: 58)),
      let blue = byte(of: reader.uint32(at: 62))
    else { throw ImageError(.unsupported("BMP with channels of other than 8 bits")) }
    return (blue, green, red)
  }

  /// The byte of a pixel that a mask selects.
  private static func byte(of mask: UInt32?) -> Int? {
    (0..<4).first { mask == 0xFF << ($0 * 8) }
  }
}
