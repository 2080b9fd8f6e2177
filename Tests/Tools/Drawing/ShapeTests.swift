import TensorIODrawing
import TensorIOImage
import Testing

@Suite struct ShapeTests {
  static let ink = Color(red: 250, green: 10, blue: 130)
  static let legend: [PixelColor: Character] = [
    .black: ".", PixelColor(red: 250, green: 10, blue: 130): "#",
  ]

  @Test func `A filled rectangle has sharp edges`() throws {
    var canvas = try Canvas(plain(8, 5))
    canvas.fillRectangle(.init(x: 2, y: 1, width: 4, height: 3), color: Self.ink)
    #expect(
      try canvas.image.drawn(with: Self.legend) == [
        "........",
        "..####..",
        "..####..",
        "..####..",
        "........",
      ])
  }

  @Test func `The line of a rectangle is inside it`() throws {
    var canvas = try Canvas(plain(9, 7))
    canvas.strokeRectangle(.init(x: 1, y: 1, width: 7, height: 5), color: Self.ink, lineWidth: 1)
    #expect(
      try canvas.image.drawn(with: Self.legend) == [
        ".........",
        ".#######.",
        ".#.....#.",
        ".#.....#.",
        ".#.....#.",
        ".#######.",
        ".........",
      ])
  }

  @Test func `A wider line grows inwards`() throws {
    var canvas = try Canvas(plain(8, 7))
    canvas.strokeRectangle(.init(x: 0, y: 0, width: 8, height: 7), color: Self.ink, lineWidth: 2)
    #expect(
      try canvas.image.drawn(with: Self.legend) == [
        "########",
        "########",
        "##....##",
        "##....##",
        "##....##",
        "########",
        "########",
      ])
  }

  @Test func `A line wider than its rectangle fills it`() throws {
    var canvas = try Canvas(plain(6, 4))
    canvas.strokeRectangle(.init(x: 1, y: 1, width: 3, height: 2), color: Self.ink, lineWidth: 9)
    #expect(
      try canvas.image.drawn(with: Self.legend) == [
        "......",
        ".###..",
        ".###..",
        "......",
      ])
  }

  @Test func `A half-transparent color is blended with the background`() throws {
    var canvas = try Canvas(plain(3, 1, gray: 100))
    canvas.fillRectangle(.init(x: 1, y: 0, width: 1, height: 1), color: .white.opacity(0.5))
    let image = try canvas.image
    #expect(image[0, 0].green == 100 && image[2, 0].green == 100)
    #expect((176...179).contains(image[1, 0].green))
  }

  // Some of these would overflow cairo's fixed-point coordinates.
  @Test(arguments: [1.0, 1e6, 1.5e7, 9e9, 1e100])
  func `Shapes are clipped at the edge of the canvas`(_ overhang: Double) throws {
    var canvas = try Canvas(plain(4, 3))
    canvas.fillRectangle(
      .init(x: -overhang, y: 1, width: 3 * overhang + 4, height: 1), color: Self.ink)
    #expect(try canvas.image.drawn(with: Self.legend) == ["....", "####", "...."])
  }

  @Test func `A circle is round and does not exceed its radius`() throws {
    var canvas = try Canvas(plain(41, 41))
    canvas.fillCircle(center: .init(x: 20.5, y: 20.5), radius: 12, color: .white)
    let inked = try canvas.image.inkedPixels(on: 0)
    #expect(inked.allSatisfy { (8...32).contains($0.x) && (8...32).contains($0.y) })
    // A circle of radius 12 covers 452 pixels; partially covered edge pixels count, too.
    #expect((440...500).contains(inked.count))
  }

  @Test func `Lines and circles are drawn`() throws {
    var canvas = try Canvas(plain(20, 20))
    canvas.strokeLine([.init(x: 0, y: 10), .init(x: 20, y: 10)], color: .white, lineWidth: 2)
    #expect(try canvas.image.inkedPixels(on: 0).count == 40)
    canvas.strokeCircle(center: .init(x: 10, y: 10), radius: 6, color: Self.ink, lineWidth: 1)
    #expect(try canvas.image.inkedPixels(on: 0).count > 60)
  }

  static let broken: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300]

  @Test(arguments: broken)
  func `Non-finite coordinates and sizes draw nothing`(_ value: Double) throws {
    var canvas = try Canvas(plain(16, 16))
    canvas.fillRectangle(.init(x: value, y: 0, width: 4, height: 4), color: .white)
    canvas.strokeRectangle(.init(x: 4, y: value, width: 4, height: 4), color: .white)
    canvas.strokeLine([.init(x: 0, y: 0), .init(x: value, y: 9)], color: .white)
    canvas.strokeCircle(center: .init(x: value, y: 8), radius: 4, color: .white)
    canvas.fillCircle(center: .init(x: 8, y: 8), radius: value, color: .white)
    canvas.drawText("text", at: .init(x: value, y: 0), size: 8, color: .white)
    #expect(try canvas.image.inkedPixels(on: 0).isEmpty)
  }

  @Test func `Negative and empty sizes draw nothing`() throws {
    var canvas = try Canvas(plain(8, 8))
    canvas.fillRectangle(.init(x: 4, y: 4, width: -2, height: 2), color: .white)
    canvas.strokeRectangle(.init(x: 4, y: 4, width: 0, height: 2), color: .white)
    canvas.fillCircle(center: .init(x: 4, y: 4), radius: -1, color: .white)
    canvas.strokeLine([.init(x: 4, y: 4)], color: .white)
    #expect(try canvas.image.inkedPixels(on: 0).isEmpty)
  }
}
