extension ImageBuffer {
  /// The upright picture as a map puts it into a frame, its pixels interpolated between the four
  /// around them.
  ///
  ///     let map = AffineMap.similarity(from: [leftEye, rightEye], to: [left, right])
  ///     let face = try map.map { try picture.warped(by: $0, width: 112, height: 112) }
  ///
  /// The map goes from the picture to the frame. What it brings from outside of the picture has the
  /// colour of the padding.
  public func warped(
    by map: AffineMap, width: Int, height: Int, pad: PixelColor = .black
  ) throws(ImageError) -> ImageBuffer {
    try ImageLimits.check(width: width, height: height)
    guard let inverse = map.inverse else {
      throw ImageError(.impossibleSize(width: width, height: height))
    }
    let sampler = BilinearSampler(upright(), outside: pad)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * format.bytesPerPixel)
    for y in 0..<height {
      for x in 0..<width {
        let place = inverse.apply(Double(x) + 0.5, Double(y) + 0.5)
        sampler.append(place.x, place.y, to: &pixels)
      }
    }
    return try ImageBuffer(width: width, height: height, format: format, pixels: pixels)
  }
}

/// Reads the colours between the pixels of a picture.
private struct BilinearSampler {
  private let pixels: [UInt8]
  private let width: Int
  private let height: Int
  private let channels: Int
  private let outside: [UInt8]

  init(_ image: ImageBuffer, outside color: PixelColor) {
    pixels = image.pixels
    (width, height, channels) = (image.width, image.height, image.format.bytesPerPixel)
    outside = color.bytes(as: image.format)
  }

  func append(_ x: Double, _ y: Double, to bytes: inout [UInt8]) {
    guard x >= 0, x < Double(width), y >= 0, y < Double(height) else {
      bytes += outside
      return
    }
    // Pixels have their colour at their centre; beyond the outermost centres it goes on.
    let (left, shareX) = Self.split(x - 0.5)
    let (top, shareY) = Self.split(y - 0.5)
    let (near, far) = (offset(ofColumn: left), offset(ofColumn: left + 1))
    let (high, low) = (offset(ofRow: top), offset(ofRow: top + 1))
    for channel in 0..<channels {
      let above = mix(high + near + channel, high + far + channel, shareX)
      let below = mix(low + near + channel, low + far + channel, shareX)
      bytes.append(UInt8((above + (below - above) * shareY).rounded()))
    }
  }

  private func mix(_ one: Int, _ other: Int, _ share: Double) -> Double {
    let value = Double(pixels[one])
    return value + (Double(pixels[other]) - value) * share
  }

  private func offset(ofColumn column: Int) -> Int { min(max(column, 0), width - 1) * channels }

  private func offset(ofRow row: Int) -> Int { min(max(row, 0), height - 1) * width * channels }

  private static func split(_ value: Double) -> (whole: Int, share: Double) {
    let whole = value.rounded(.down)
    return (Int(whole), value - whole)
  }
}
