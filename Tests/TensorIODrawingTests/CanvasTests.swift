import TensorIODrawing
import TensorIOImage
import Testing

@Suite struct CanvasTests {
  /// Every value of a channel, and none equal to its neighbours.
  static func colorful(_ width: Int, _ height: Int) throws -> ImageBuffer {
    let pixels = (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ $0 / 7) }
    return try ImageBuffer(width: width, height: height, format: .rgb, pixels: pixels)
  }

  @Test(arguments: [(1, 1), (3, 2), (17, 31), (256, 3)])
  func `what is not drawn on keeps its exact value`(width: Int, height: Int) throws {
    let picture = try Self.colorful(width, height)
    #expect(try Canvas(picture).image == picture)
  }

  @Test(arguments: PixelFormat.allCases)
  func `a picture of any format comes back as RGB`(_ format: PixelFormat) throws {
    let picture = try Self.colorful(5, 4).converted(to: format)
    #expect(try Canvas(picture).image == picture.converted(to: .rgb))
  }

  @Test func `alpha is dropped, not composited`() throws {
    let pixel: [UInt8] = [200, 100, 50, 0]
    let picture = try ImageBuffer(width: 1, height: 1, format: .rgba, pixels: pixel)
    #expect(try Canvas(picture).image.pixels == [200, 100, 50])
  }

  @Test func `a part of a picture is drawn on without its surroundings`() throws {
    let picture = try Self.colorful(9, 9)
    let part = try picture.cropped(to: PixelRegion(x: 2, y: 3, width: 4, height: 5))
    #expect(try Canvas(part).image.pixels == part.pixels)
  }

  @Test func `a picture is drawn on upright`() throws {
    var picture = try Self.colorful(4, 2)
    picture.orientation = .right
    #expect(try Canvas(picture).image == picture.upright())
  }

  struct Enlargement: Sendable {
    let picture, canvas: (width: Int, height: Int)
    let scale: Int
  }

  @Test(arguments: [
    Enlargement(picture: (8, 8), canvas: (480, 480), scale: 60),
    Enlargement(picture: (64, 64), canvas: (512, 512), scale: 8),
    Enlargement(picture: (479, 300), canvas: (958, 600), scale: 2),
    Enlargement(picture: (480, 300), canvas: (480, 300), scale: 1),
    Enlargement(picture: (640, 480), canvas: (640, 480), scale: 1),
    Enlargement(picture: (8, 3000), canvas: (480, 3000), scale: 1),
    Enlargement(picture: (3000, 2), canvas: (3000, 120), scale: 1),
    Enlargement(picture: (1, 1), canvas: (480, 480), scale: 480),
  ])
  func `a small picture is enlarged until labels can be read`(_ example: Enlargement) throws {
    let picture = try plain(example.picture.width, example.picture.height)
    let canvas = try Canvas(enlarging: picture)
    #expect(canvas.scale == example.scale)
    #expect(canvas.width == example.canvas.width && canvas.height == example.canvas.height)
  }

  @Test func `an enlarged pixel stays a square of one colour`() throws {
    let picture = try Self.colorful(5, 7)
    let canvas = try Canvas(enlarging: picture)
    let image = try canvas.image
    let scale = canvas.scale
    for y in 0..<7 {
      for x in 0..<5 {
        let corners = [
          image[x * scale, y * scale], image[(x + 1) * scale - 1, (y + 1) * scale - 1],
        ]
        #expect(corners == [picture[x, y], picture[x, y]])
      }
    }
  }
}
