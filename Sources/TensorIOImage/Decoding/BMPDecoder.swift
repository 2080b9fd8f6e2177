/// Reads the pixels of a BMP: 24 and 32 bits, and 8 bits with a palette.
enum BMPDecoder {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    let bmp = try BMPStructure(bytes)
    try ImageLimits.check(width: bmp.width, height: bmp.height)
    // Both sides are within their limit, so that nothing here can overflow.
    let rowBytes = bmp.width * bmp.bitsPerPixel / 8
    let end = bmp.pixels + bmp.bytesPerRow * (bmp.height - 1) + rowBytes
    guard end <= bytes.count else { throw ImageError(.truncated) }
    let palette = try bmp.bitsPerPixel == 8 ? palette(of: bmp, bytes) : nil
    var pixels: [UInt8] = []
    pixels.reserveCapacity(bmp.width * bmp.height * 3)
    for y in 0..<bmp.height {
      let stored = bmp.isBottomUp ? bmp.height - 1 - y : y
      let start = bmp.pixels + stored * bmp.bytesPerRow
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
    let (blue, green, red) = bmp.channels
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
        throw ImageError(.damaged(problem: "a pixel has color \(index) of \(palette.count)"))
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
