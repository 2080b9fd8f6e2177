import TensorIOImage
import Testing

@Suite struct PreparationTests {
  @Test func `Every row is delivered once, top to bottom`() throws {
    let image = try ImageBuffer.noise(width: 50, height: 40)
    let preparation = ImagePreparation(width: 8, height: 6, fit: .letterbox, filter: .area)
    var lines: [Int] = []
    var pixels: [UInt8] = []
    let geometry = try preparation.prepare(image, as: .bgr) { y, row in
      lines.append(y)
      for index in row.indices { pixels.append(row[index]) }
    }
    #expect(lines == Array(0..<6))
    #expect(try pixels == preparation(image).image.converted(to: .bgr).pixels)
    #expect(try geometry == preparation(image).geometry)
  }

  @Test func `An error thrown by the row closure stops the preparation`() throws {
    struct StopError: Error {}
    let image = try ImageBuffer.noise(width: 5, height: 5)
    var count = 0
    #expect(throws: StopError.self) {
      try ImagePreparation(width: 4, height: 4).prepare(image, as: .rgb) { _, _ in
        count += 1
        if count == 2 { throw StopError() }
      }
    }
    #expect(count == 2)
  }

  @Test(arguments: PixelFormat.allCases)
  func `Letterbox bars have the padding color`(format: PixelFormat) throws {
    let image = try ImageBuffer.filled(width: 40, height: 20, red: 9, green: 9, blue: 9)
    let pad = PixelColor(red: 250, green: 120, blue: 3)
    let prepared = try ImagePreparation(width: 12, height: 12, fit: .letterbox, pad: pad)(
      image, as: format
    ).image
    let bar = format == .gray ? PixelColor(red: pad.luma, green: pad.luma, blue: pad.luma) : pad
    for y in [0, 2, 9, 11] { #expect(prepared[5, y] == bar) }
    for y in [3, 8] { #expect(prepared[5, y] == PixelColor(red: 9, green: 9, blue: 9)) }
    let upright = try ImagePreparation(width: 12, height: 4, fit: .letterbox, pad: pad)(
      image, as: format
    ).image
    #expect(upright[1, 2] == bar && upright[10, 3] == bar)
    #expect(upright[2, 0] == PixelColor(red: 9, green: 9, blue: 9))
  }

  @Test(arguments: PixelFormat.allCases, PixelFormat.allCases)
  func `Every pixel format gives the same colors`(
    storedFormat: PixelFormat, format: PixelFormat
  ) throws {
    let image = try ImageBuffer.noise(width: 33, height: 21, format: storedFormat)
    for filter in ImageFilter.allCases {
      let preparation = ImagePreparation(width: 10, height: 14, filter: filter)
      let gray = format == .gray
      let reference = try preparation(
        image.converted(to: gray ? .gray : .rgb), as: gray ? .gray : .rgb)
      let prepared = try preparation(image, as: format).image
      #expect(prepared.converted(to: gray ? .gray : .rgb) == reference.image, "\(filter)")
    }
  }

  @Test func `An image of the target size is unchanged`() throws {
    let image = try ImageBuffer.noise(width: 17, height: 11)
    for filter in ImageFilter.allCases {
      for fit in ImageFit.allCases {
        #expect(
          try ImagePreparation(width: 17, height: 11, fit: fit, filter: filter)(image).image
            == image)
      }
    }
  }

  @Test func `A cropped view is prepared like a copy`() throws {
    let image = try ImageBuffer.noise(width: 60, height: 50)
    let part = try image.cropped(to: PixelRegion(x: 7, y: 9, width: 31, height: 27))
    let copy = try ImageBuffer(width: 31, height: 27, format: .rgb, pixels: part.pixels)
    for filter in ImageFilter.allCases {
      let preparation = ImagePreparation(width: 13, height: 19, filter: filter)
      #expect(try preparation(part).image == preparation(copy).image)
    }
  }

  @Test func `Equality ignores cached plans`() throws {
    let first = ImagePreparation(width: 8, height: 8)
    let second = ImagePreparation(width: 8, height: 8)
    _ = try first(ImageBuffer.noise(width: 20, height: 20))
    #expect(first == second)
    #expect(Set([first, second, ImagePreparation(width: 8, height: 8, filter: .area)]).count == 2)
  }

  @Test func `A preparation can be used by many tasks concurrently`() async throws {
    let preparation = ImagePreparation(width: 24, height: 24)
    let images = try (0..<40).map { try ImageBuffer.noise(width: 30 + $0 % 11, height: 31) }
    let expected = try images.map { try ImagePreparation(width: 24, height: 24)($0).image }
    try await withThrowingTaskGroup(of: (Int, ImageBuffer).self) { group in
      for (index, image) in images.enumerated() {
        group.addTask { (index, try preparation(image).image) }
      }
      for try await (index, image) in group { #expect(image == expected[index]) }
    }
  }

  @Test func `Extreme aspect ratios are handled`() throws {
    for (width, height) in [(ImageLimits.maxSide, 1), (1, ImageLimits.maxSide), (4_000, 2)] {
      let image = try ImageBuffer.filled(width: width, height: height, red: 1, green: 2, blue: 3)
      for fit in ImageFit.allCases {
        for filter in ImageFilter.allCases {
          let preparation = ImagePreparation(width: 3, height: 5, fit: fit, filter: filter)
          let prepared = try preparation(image).image
          #expect(prepared[1, 2] == PixelColor(red: 1, green: 2, blue: 3), "\(fit) \(filter)")
        }
      }
    }
  }
}
