import TensorIOImage
import Testing

@Suite struct GeometryTests {
  /// A white dot drawn in an image and located in the model's input maps back to its position.
  @Test(arguments: ImageFit.allCases, ImageOrientation.allCases)
  func `Points in the model's input map back to the image`(
    fit: ImageFit, orientation: ImageOrientation
  ) throws {
    let sides = orientation.swapsDimensions ? (720, 1280) : (1280, 720)
    let preparation = ImagePreparation(width: 320, height: 320, fit: fit, filter: .bilinear)
    for (x, y) in [(640, 360), (402, 101), (900, 650)] {
      let upright = try image(width: 1280, height: 720, dotAt: (x, y))
      let stored = try stored(upright, orientation)
      #expect((stored.width, stored.height) == sides)
      let prepared = try preparation(stored)
      let found = try #require(center(ofLightIn: prepared.image))
      let back = prepared.geometry.modelToImage.apply(found.x, found.y)
      #expect(abs(back.x - (Double(x) + 0.5)) < 1, "\(back)")
      #expect(abs(back.y - (Double(y) + 0.5)) < 1, "\(back)")
      let mapped = prepared.geometry.imageToModel.apply(back.x, back.y)
      #expect(abs(mapped.x - found.x) < 1e-6)
      #expect(abs(mapped.y - found.y) < 1e-6)
    }
  }

  @Test func `A crop uses the center of the image`() throws {
    let geometry = try geometry(1280, 720, .crop)
    #expect(geometry.modelToImage.apply(0, 0) == (280, 0))
    #expect(geometry.modelToImage.apply(100, 100) == (1000, 720))
  }

  @Test func `A stretch uses the whole image`() throws {
    let geometry = try geometry(1280, 720, .stretch)
    #expect(geometry.modelToImage.apply(100, 100) == (1280, 720))
  }

  @Test func `A letterbox has bars outside the image`() throws {
    let geometry = try geometry(1280, 720, .letterbox)
    #expect(geometry.imageToModel.apply(0, 0) == (0, 22))
    #expect(geometry.imageToModel.apply(1280, 720) == (100, 78))
    #expect(geometry.imageWidth == 1280 && geometry.imageHeight == 720)
    #expect(geometry.modelWidth == 100 && geometry.modelHeight == 100)
  }

  @Test(arguments: [(1280, 720), (720, 1280)])
  func `A letterbox at the top left has one bar`(width: Int, height: Int) throws {
    let image = try ImageBuffer.filled(width: width, height: height, red: 9, green: 9, blue: 9)
    let pad = PixelColor(red: 114, green: 114, blue: 114)
    let preparation = ImagePreparation(
      width: 64, height: 64, fit: .letterbox, pad: pad, fitAnchor: .topLeft)
    let prepared = try preparation(image)
    #expect(prepared.geometry.imageToModel.apply(0, 0) == (0, 0))
    #expect(prepared.geometry.modelToImage.apply(64, 64) == (1280, 1280))
    #expect(prepared.image[0, 0] != pad)
    #expect(prepared.image[63, 63] == pad)
    #expect((prepared.image[63, 0] == pad) == (width < height))
    let centered = ImagePreparation(width: 64, height: 64, fit: .letterbox, pad: pad)
    #expect(preparation != centered)
  }

  @Test func `Geometry is in pixels of the file, even if fewer were decoded`() throws {
    let bytes = try ImageBuffer.noise(width: 640, height: 400).encoded(as: .jpeg())
    let preparation = ImagePreparation(width: 32, height: 32, filter: .bilinear)
    var image = try ImageBuffer(decoding: bytes, DecodingOptions(for: preparation))
    #expect(image.width == 160)
    #expect(image.originalWidth == 640 && image.originalHeight == 400)
    let geometry = try preparation(image).geometry
    #expect(geometry.imageWidth == 640 && geometry.imageHeight == 400)
    #expect(geometry.modelToImage.apply(16, 16) == (320, 200))
    image.orientation = .right
    #expect(try preparation(image).geometry.modelToImage.apply(32, 32) == (400, 520))
    #expect(try preparation(image.upright()).geometry == preparation(image).geometry)
  }

  @Test func `A map has an inverse unless it is singular`() throws {
    let map = AffineMap(a: 2, b: 1, c: -3, d: 0.5, tx: 7, ty: -2)
    let (x, y) = map.apply(3, 4)
    let back = try #require(map.inverse).apply(x, y)
    #expect(abs(back.x - 3) < 1e-12 && abs(back.y - 4) < 1e-12)
    #expect(AffineMap(a: 1, b: 2, c: 2, d: 4, tx: 0, ty: 0).inverse == nil)
    #expect(AffineMap.identity.apply(5, 6) == (5, 6))
  }

  private func geometry(_ width: Int, _ height: Int, _ fit: ImageFit) throws -> ImageGeometry {
    let image = try ImageBuffer.filled(width: width, height: height, red: 0, green: 0, blue: 0)
    return try ImagePreparation(width: 100, height: 100, fit: fit)(image).geometry
  }

  private func image(width: Int, height: Int, dotAt dot: (Int, Int)) throws -> ImageBuffer {
    var pixels = [UInt8](repeating: 0, count: width * height)
    for y in dot.1 - 4...dot.1 + 4 {
      for x in dot.0 - 4...dot.0 + 4 { pixels[y * width + x] = 255 }
    }
    return try ImageBuffer(width: width, height: height, format: .gray, pixels: pixels)
  }

  /// Returns the image with stored pixels such that the orientation makes them upright.
  private func stored(
    _ upright: ImageBuffer, _ orientation: ImageOrientation
  ) throws -> ImageBuffer {
    let inverse: ImageOrientation =
      switch orientation {
      case .right: .left
      case .left: .right
      default: orientation
      }
    var image = upright
    image.orientation = inverse
    image = image.upright()
    image.orientation = orientation
    return image
  }

  private func center(ofLightIn image: ImageBuffer) -> (x: Double, y: Double)? {
    var (x, y, light) = (0.0, 0.0, 0.0)
    image.forEachRow { line, row in
      for column in 0..<image.width {
        let value = Double(row[column * image.format.bytesPerPixel])
        x += value * (Double(column) + 0.5)
        y += value * (Double(line) + 0.5)
        light += value
      }
    }
    return light == 0 ? nil : (x / light, y / light)
  }
}
