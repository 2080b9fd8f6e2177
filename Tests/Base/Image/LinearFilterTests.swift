import Testing

@testable import TensorIOImage

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

  /// The fits, with sizes of the image and of the result.
  private static let asymmetricCases: [(ImageFit, [Int])] = [
    (.stretch, [120, 80, 31, 29]), (.stretch, [12, 8, 31, 29]), (.letterbox, [120, 53, 64, 64]),
    (.letterbox, [53, 120, 64, 64]), (.letterbox, [9, 4, 64, 64]), (.crop, [120, 53, 20, 20]),
    (.letterbox, [300, 1, 16, 16]),
  ]

  @Test(arguments: asymmetricCases)
  func `The asymmetric filter scales the indices of pixels, and does not round the letterbox`(
    fit: ImageFit, sizes: [Int]
  ) throws {
    let (width, height) = (sizes[0], sizes[1])
    let image = try ImageBuffer.noise(width: width, height: height)
    let color = PixelColor(red: 1, green: 2, blue: 3)
    let preparation = ImagePreparation(
      width: sizes[2], height: sizes[3], fit: fit, filter: .linearAsymmetric, pad: color)
    let result = try preparation(image)
    let (a, b) = (Double(width) / Double(sizes[2]), Double(height) / Double(sizes[3]))
    let scale =
      switch fit {
      case .stretch: (x: a, y: b)
      case .crop: (x: min(a, b), y: min(a, b))
      case .letterbox: (x: max(a, b), y: max(a, b))
      }
    // The corner of the image in the result.
    let left = (Double(sizes[2]) - Double(width) / scale.x) / 2
    let top = (Double(sizes[3]) - Double(height) / scale.y) / 2
    let corner = result.geometry.imageToModel.apply(0, 0)
    #expect(abs(corner.x - left) < 1e-9 && abs(corner.y - top) < 1e-9, "\(corner)")
    var shown = 0
    for y in 0..<sizes[3] {
      for x in 0..<sizes[2] {
        let point = ((Double(x) - left) * scale.x, (Double(y) - top) * scale.y)
        let isInside =
          fit != .letterbox
          || (-0.5..<Double(width) - 0.5).contains(point.0)
            && (-0.5..<Double(height) - 0.5).contains(point.1)
        // The axis that the image fills has no bars.
        let fills = fit == .letterbox && (left == 0 && point.1 > -0.5 || top == 0 && point.0 > -0.5)
        if fills, !isInside { continue }
        shown += isInside ? 1 : 0
        let expected = isInside ? image.interpolated(point.0 + 0.5, point.1 + 0.5) : [1, 2, 3]
        let actual = result.image.bytes(x, y)
        #expect(zip(expected, actual).allSatisfy { abs($0 - $1) < 1.001 }, "\(x) \(y)")
      }
    }
    #expect(shown > 0)
  }

  @Test func `The asymmetric filter samples a reduced image at the same places`()
    throws
  {
    // A ramp, on which interpolation at both resolutions is exact.
    let pixels = (0..<400 * 40).map { UInt8($0 % 400 / 2) }
    let image = try ImageBuffer(width: 400, height: 40, format: .gray, pixels: pixels)
    let jpeg = try image.encoded(as: .jpeg(quality: 100))
    let preparation = ImagePreparation(
      width: 50, height: 50, fit: .letterbox, filter: .linearAsymmetric)
    #expect(
      DecodingOptions(for: preparation).scaleDenominator(width: 400, height: 40, orientation: .up)
        == 1)
    let reduced = try ImageBuffer(
      decoding: jpeg, DecodingOptions(minWidth: 100, minHeight: 10))
    try #require(reduced.width == 200)
    let whole = try preparation(image, as: .gray)
    let half = try preparation(reduced, as: .gray)
    #expect(whole.geometry == half.geometry)
    for x in 1..<49 {
      let (expected, actual) = (whole.image.bytes(x, 25)[0], half.image.bytes(x, 25)[0])
      #expect(abs(expected - actual) <= 1, "\(x): \(expected) \(actual)")
    }
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
