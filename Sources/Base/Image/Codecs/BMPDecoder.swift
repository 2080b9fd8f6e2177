/// The header of a BMP file: the image's layout and the offset of its pixels.
struct BMPStructure {
  let width: Int
  let height: Int
  /// Whether rows are stored bottom to top, as is usual.
  let isBottomUp: Bool
  let bitsPerPixel: Int
  /// The offset of the first pixel, in bytes.
  let pixelOffset: Int
  /// The offset of the palette and its number of colors.
  let palette: (position: Int, count: Int)
  /// The offsets of blue, green and red within a pixel.
  let channelOffsets: (blue: Int, green: Int, red: Int)

  init(_ bytes: [UInt8]) throws(ImageError) {
    let reader = ByteReader(bytes, .littleEndian)
    guard
      let pixels = reader.uint32(at: 10), let headerSize = reader.uint32(at: 14),
      let width = reader.int32(at: 18), let height = reader.int32(at: 22),
      let bits = reader.uint16(at: 28), let compression = reader.uint32(at: 30),
      let colors = reader.uint32(at: 46)
    else { throw ImageError(.truncated) }
    guard headerSize >= 40 else { throw ImageError(.unsupported("an OS/2 BMP")) }
    guard [8, 24, 32].contains(bits) else {
      throw ImageError(.unsupported("a BMP with \(bits) bits per pixel"))
    }
    (self.width, self.height) = (Int(width), Int(height.magnitude))
    isBottomUp = height > 0
    bitsPerPixel = Int(bits)
    self.pixelOffset = Int(pixels)
    palette = (14 + Int(headerSize), colors == 0 ? 256 : min(Int(colors), 256))
    channelOffsets = try Self.channelOffsets(compression: compression, bits: bits, reader)
  }

  /// The length of a row in bytes, padded to a multiple of four.
  var bytesPerRow: Int { (width * bitsPerPixel / 8 + 3) / 4 * 4 }

  private static func channelOffsets(
    compression: UInt32, bits: UInt16, _ reader: ByteReader
  ) throws(ImageError) -> (blue: Int, green: Int, red: Int) {
    let (uncompressed, bitFields): (UInt32, UInt32) = (0, 3)
    if compression == uncompressed { return (0, 1, 2) }
    guard compression == bitFields, bits == 32 else {
      throw ImageError(.unsupported("a BMP with compression \(compression)"))
    }
    guard
      let red = byte(of: reader.uint32(at: 54)), let green = byte(of: reader.uint32(at: 58)),
      let blue = byte(of: reader.uint32(at: 62))
    else { throw ImageError(.unsupported("a BMP whose channels do not have 8 bits")) }
    return (blue, green, red)
  }

  /// Returns the index of the byte that a mask selects.
  private static func byte(of mask: UInt32?) -> Int? {
    (0..<4).first { mask == 0xFF << ($0 * 8) }
  }
}

/// Decodes BMP pixels: 24 and 32 bits, and 8 bits with a palette.
enum BMPDecoder {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    let bmp = try BMPStructure(bytes)
    try ImageLimits.validate(width: bmp.width, height: bmp.height)
    // Both sides are within their limit, so nothing here can overflow.
    let rowBytes = bmp.width * bmp.bitsPerPixel / 8
    let end = bmp.pixelOffset + bmp.bytesPerRow * (bmp.height - 1) + rowBytes
    guard end <= bytes.count else { throw ImageError(.truncated) }
    let palette = try bmp.bitsPerPixel == 8 ? palette(of: bmp, bytes) : nil
    var pixels: [UInt8] = []
    pixels.reserveCapacity(bmp.width * bmp.height * 3)
    for y in 0..<bmp.height {
      let stored = bmp.isBottomUp ? bmp.height - 1 - y : y
      let start = bmp.pixelOffset + stored * bmp.bytesPerRow
      let row = bytes[start..<start + rowBytes]
      if let palette {
        try append(row, of: palette, to: &pixels)
      } else {
        append(row, of: bmp, to: &pixels)
      }
    }
    return try ImageBuffer(width: bmp.width, height: bmp.height, format: .rgb, pixels: pixels)
  }

  private static func append(
    _ row: ArraySlice<UInt8>, of bmp: BMPStructure, to pixels: inout [UInt8]
  ) {
    let (blue, green, red) = bmp.channelOffsets
    for pixel in stride(from: row.startIndex, to: row.endIndex, by: bmp.bitsPerPixel / 8) {
      pixels.append(row[pixel + red])
      pixels.append(row[pixel + green])
      pixels.append(row[pixel + blue])
    }
  }

  private static func append(
    _ row: ArraySlice<UInt8>, of palette: [PixelColor], to pixels: inout [UInt8]
  ) throws(ImageError) {
    for index in row {
      guard Int(index) < palette.count else {
        throw ImageError(
          .corrupt(message: "palette index \(index) is out of range, 0..<\(palette.count)"))
      }
      let color = palette[Int(index)]
      pixels.append(color.red)
      pixels.append(color.green)
      pixels.append(color.blue)
    }
  }

  private static func palette(
    of bmp: BMPStructure, _ bytes: [UInt8]
  ) throws(ImageError) -> [PixelColor] {
    let entries = bmp.palette.position..<bmp.palette.position + bmp.palette.count * 4
    guard entries.upperBound <= bytes.count else { throw ImageError(.truncated) }
    return stride(from: entries.lowerBound, to: entries.upperBound, by: 4).map {
      PixelColor(red: bytes[$0 + 2], green: bytes[$0 + 1], blue: bytes[$0])
    }
  }
}
