import TensorIODrawing
import TensorIOImage
import Testing

@Suite struct CanvasTests {
  /// An image with every channel value in which neighbors differ.
  static func colorful(_ width: Int, _ height: Int) throws -> ImageBuffer {
    let pixels = (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ $0 / 7) }
    return try ImageBuffer(width: width, height: height, format: .rgb, pixels: pixels)
  }

  @Test(arguments: [(1, 1), (3, 2), (17, 31), (256, 3)])
  func `Pixels that are not drawn on keep their exact values`(width: Int, height: Int) throws {
    let image = try Self.colorful(width, height)
    #expect(try Canvas(image).image == image)
  }

  @Test(arguments: PixelFormat.allCases)
  func `An image of any format is returned as RGB`(_ format: PixelFormat) throws {
    let image = try Self.colorful(5, 4).converted(to: format)
    #expect(try Canvas(image).image == image.converted(to: .rgb))
  }

  @Test func `Alpha is dropped, not composited`() throws {
    let pixel: [UInt8] = [200, 100, 50, 0]
    let image = try ImageBuffer(width: 1, height: 1, format: .rgba, pixels: pixel)
    #expect(try Canvas(image).image.pixels == [200, 100, 50])
  }

  @Test func `A cropped view is drawn on without its surroundings`() throws {
    let image = try Self.colorful(9, 9)
    let part = try image.cropped(to: PixelRegion(x: 2, y: 3, width: 4, height: 5))
    #expect(try Canvas(part).image.pixels == part.pixels)
  }

  @Test func `An image is drawn on upright`() throws {
    var image = try Self.colorful(4, 2)
    image.orientation = .right
    #expect(try Canvas(image).image == image.upright())
  }

  struct Enlargement: Sendable {
    let image, canvas: (width: Int, height: Int)
    let scale: Int
  }

  @Test(arguments: [
    Enlargement(image: (8, 8), canvas: (480, 480), scale: 60),
    Enlargement(image: (64, 64), canvas: (512, 512), scale: 8),
    Enlargement(image: (479, 300), canvas: (958, 600), scale: 2),
    Enlargement(image: (480, 300), canvas: (480, 300), scale: 1),
    Enlargement(image: (640, 480), canvas: (640, 480), scale: 1),
    Enlargement(image: (8, 3000), canvas: (480, 3000), scale: 1),
    Enlargement(image: (3000, 2), canvas: (3000, 120), scale: 1),
    Enlargement(image: (1, 1), canvas: (480, 480), scale: 480),
  ])
  func `A small image is enlarged until labels are legible`(_ example: Enlargement) throws {
    let image = try plain(example.image.width, example.image.height)
    let canvas = try Canvas(enlarging: image)
    #expect(canvas.scale == example.scale)
    #expect(canvas.width == example.canvas.width && canvas.height == example.canvas.height)
  }

  @Test func `An enlarged pixel stays a square of one color`() throws {
    let image = try Self.colorful(5, 7)
    let canvas = try Canvas(enlarging: image)
    let result = try canvas.image
    let scale = canvas.scale
    for y in 0..<7 {
      for x in 0..<5 {
        let corners = [
          result[x * scale, y * scale], result[(x + 1) * scale - 1, (y + 1) * scale - 1],
        ]
        #expect(corners == [image[x, y], image[x, y]])
      }
    }
  }
}
