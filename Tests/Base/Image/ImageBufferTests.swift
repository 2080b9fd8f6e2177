import TensorIOImage
import Testing

@Suite struct ImageBufferTests {
  @Test(arguments: PixelFormat.allCases)
  func `Channel offsets match the pixel format`(format: PixelFormat) throws {
    let image = try ImageBuffer.filled(
      width: 3, height: 2, format: format, red: 200, green: 90, blue: 10)
    let expected: PixelColor =
      format == .gray
      ? PixelColor(red: 114, green: 114, blue: 114) : PixelColor(red: 200, green: 90, blue: 10)
    #expect(image[2, 1] == expected)
    #expect(image.pixels.count == 6 * format.bytesPerPixel)
    if let alpha = format.alphaOffset { #expect(image.pixels[alpha] == 255) }
  }

  @Test(arguments: PixelFormat.allCases, PixelFormat.allCases)
  func `Conversion preserves colors`(from: PixelFormat, to: PixelFormat) throws {
    let image = try ImageBuffer.noise(width: 5, height: 4, format: from)
    let converted = image.converted(to: to)
    #expect(converted.format == to)
    for (x, y) in [(0, 0), (4, 3), (2, 1)] {
      let luma = image[x, y].luma
      let isGray = to == .gray && from != .gray
      #expect(
        converted[x, y]
          == (isGray ? PixelColor(red: luma, green: luma, blue: luma) : image[x, y]))
    }
  }

  @Test func `Alpha is dropped without compositing`() throws {
    let image = try ImageBuffer(width: 1, height: 1, format: .rgba, pixels: [10, 20, 30, 0])
    #expect(image.converted(to: .rgb).pixels == [10, 20, 30])
    #expect(image.converted(to: .argb).pixels == [0, 10, 20, 30])
    #expect(image.converted(to: .rgb).converted(to: .bgra).pixels == [30, 20, 10, 255])
  }

  @Test func `The last row must be complete but needs no padding`() throws {
    let pixels = [UInt8](repeating: 7, count: 16 * 2 + 9)
    let image = try ImageBuffer(
      width: 3, height: 3, format: .rgb, bytesPerRow: 16, pixels: pixels)
    #expect(image.pixels == [UInt8](repeating: 7, count: 27))
    for (stride, count) in [(16, 40), (8, 100)] {
      #expect(throws: ImageError.self) {
        try ImageBuffer(
          width: 3, height: 3, format: .rgb, bytesPerRow: stride,
          pixels: [UInt8](repeating: 7, count: count))
      }
    }
  }

  @Test(arguments: [(0, 1), (1, 0), (-1, 3), (1, Int.max), (ImageLimits.maxSide + 1, 1)])
  func `Invalid sizes are rejected`(width: Int, height: Int) {
    #expect(throws: ImageError.self) {
      try ImageBuffer(width: width, height: height, format: .gray, pixels: [1])
    }
    #expect(throws: ImageError.self) {
      try ImageBuffer.filled(width: width, height: height, red: 0, green: 0, blue: 0)
    }
  }

  @Test func `Strides that overflow are rejected`() {
    #expect(throws: ImageError.self) {
      try ImageBuffer(width: 1, height: 3, format: .gray, bytesPerRow: .max, pixels: [1])
    }
  }

  @Test func `A cropped view shares its pixels`() throws {
    let image = try ImageBuffer.noise(width: 9, height: 7)
    let part = try image.cropped(to: PixelRegion(x: 2, y: 3, width: 4, height: 2))
    #expect(part.bytesPerRow == image.bytesPerRow)
    #expect(part[0, 0] == image[2, 3])
    #expect(part[3, 1] == image[5, 4])
    let again = try part.cropped(to: PixelRegion(x: 1, y: 1, width: 2, height: 1))
    #expect(again.pixels == Array(image.pixels[(4 * 9 + 3) * 3..<(4 * 9 + 5) * 3]))
  }

  @Test(arguments: [
    PixelRegion(x: -1, y: 0, width: 2, height: 2), PixelRegion(x: 8, y: 0, width: 2, height: 1),
    PixelRegion(x: 0, y: 0, width: 0, height: 1), PixelRegion(x: 0, y: 1, width: 1, height: .max),
    PixelRegion(x: .max, y: .max, width: .max, height: .max),
  ])
  func `A region outside the image is rejected`(part: PixelRegion) throws {
    let image = try ImageBuffer.noise(width: 9, height: 7)
    #expect(throws: ImageError.self) { try image.cropped(to: part) }
  }

  @Test func `Buffers with equal pixels are equal, regardless of padding`() throws {
    let image = try ImageBuffer.noise(width: 4, height: 3)
    var padded: [UInt8] = []
    image.forEachRow { _, row in
      for index in row.indices { padded.append(row[index]) }
      padded += [1, 2, 3, 4, 5]
    }
    let other = try ImageBuffer(
      width: 4, height: 3, format: .rgb, bytesPerRow: 17, pixels: padded)
    #expect(other == image)
    var rotated = image
    rotated.orientation = .down
    #expect(rotated != image)
    #expect(image.converted(to: .bgr) != image)
    padded[2 * 17 + 11] ^= 1
    #expect(
      try ImageBuffer(width: 4, height: 3, format: .rgb, bytesPerRow: 17, pixels: padded) != image)
  }

  @Test func `Rows exclude padding`() throws {
    let image = try ImageBuffer.noise(width: 6, height: 5)
    let part = try image.cropped(to: PixelRegion(x: 1, y: 2, width: 3, height: 2))
    #expect(part.withRow(1) { row in row.count } == 9)
    #expect(part.withRow(1) { row in row[0] } == image.pixels[(3 * 6 + 1) * 3])
  }

  @Test func `Descriptions are short and contain no pixels`() throws {
    let image = try ImageBuffer.noise(width: 300, height: 200, orientation: .left)
    #expect("\(image)" == "300 × 200 rgb, left")
    #expect(String(reflecting: Optional(image)).count < 200)
    var dumped = ""
    dump(image, to: &dumped)
    #expect(dumped.count < 400)
  }
}
