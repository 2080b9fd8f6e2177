import TensorIOImage
import Testing

@Suite struct LinearFilterTests {
  @Test(arguments: [
    (1280, 720, 224, 224), (300, 200, 31, 190), (64, 48, 129, 97), (17, 400, 40, 9), (5, 3, 1, 1),
    (1, 1, 4, 3), (40, 30, 40, 7),
  ])
  func `The linear filter interpolates between the four nearest pixels`(
    width: Int, height: Int, newWidth: Int, newHeight: Int
  ) throws {
    let image = try ImageBuffer.noise(width: width, height: height)
    let preparation = ImagePreparation(
      width: newWidth, height: newHeight, fit: .stretch, filter: .linear)
    let result = try preparation(image).image
    for y in 0..<newHeight {
      for x in 0..<newWidth {
        let expected = image.interpolated(
          (Double(x) + 0.5) * Double(width) / Double(newWidth),
          (Double(y) + 0.5) * Double(height) / Double(newHeight))
        // Each of the two passes rounds by at most half a step.
        let actual = result.bytes(x, y)
        #expect(zip(expected, actual).allSatisfy { abs($0 - $1) < 1.001 }, "\(x) \(y)")
      }
    }
  }

  @Test(arguments: ImageOrientation.allCases, [PixelFormat.rgb, .gray, .rgba])
  func `The linear filter gives the same result for a rotated image`(
    orientation: ImageOrientation, format: PixelFormat
  ) throws {
    let image = try ImageBuffer.noise(
      width: 311, height: 207, format: format, orientation: orientation)
    for (width, height) in [(50, 40), (300, 20), (20, 300)] {
      let preparation = ImagePreparation(width: width, height: height, filter: .linear)
      #expect(
        try preparation(image, as: .gray).image == preparation(image.upright(), as: .gray).image)
      #expect(try preparation(image).image == preparation(image.upright()).image)
    }
  }

  @Test func `Upscaling with the linear filter equals the bilinear filter`() throws {
    let image = try ImageBuffer.noise(width: 20, height: 15)
    let linear = ImagePreparation(width: 64, height: 48, filter: .linear)
    let bilinear = ImagePreparation(width: 64, height: 48, filter: .bilinear)
    #expect(try linear(image).image == bilinear(image).image)
  }

  @Test func `The linear filter ignores all other pixels`() throws {
    // Only every third row and column is at the center of an output pixel.
    let pixels = (0..<90 * 90).map { UInt8($0 % 3 == 1 && $0 / 90 % 3 == 1 ? 200 : 7) }
    let image = try ImageBuffer(width: 90, height: 90, format: .gray, pixels: pixels)
    let preparation = ImagePreparation(width: 30, height: 30, filter: .linear)
    #expect(try preparation(image, as: .gray).image.pixels.allSatisfy { $0 == 200 })
  }
}

extension ImageBuffer {
  fileprivate func bytes(_ x: Int, _ y: Int) -> [Double] {
    let color = self[min(max(x, 0), width - 1), min(max(y, 0), height - 1)]
    return [color.red, color.green, color.blue].map(Double.init)
  }

  /// Returns the color at a point between pixels, whose centers are at halves.
  fileprivate func interpolated(_ x: Double, _ y: Double) -> [Double] {
    let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
    let (fractionX, fractionY) = (x - 0.5 - left, y - 0.5 - top)
    let corners = [
      (0, 0, (1 - fractionX) * (1 - fractionY)), (1, 0, fractionX * (1 - fractionY)),
      (0, 1, (1 - fractionX) * fractionY), (1, 1, fractionX * fractionY),
    ]
    return corners.reduce([0, 0, 0]) { sum, corner in
      let color = bytes(Int(left) + corner.0, Int(top) + corner.1)
      return zip(sum, color).map { $0 + $1 * corner.2 }
    }
  }
}
