import TensorIOImage
import Testing
@testable import TensorIODrawing

@Suite struct BoxAnnotationTests {
  private static let blue = Color(red: 20, green: 40, blue: 250)

  private func drawn(
    _ boxes: [BoxAnnotation], on gray: UInt8 = 128, side: Int = 400
  ) throws -> ImageBuffer {
    let picture = try ImageBuffer.filled(
      width: side, height: side, red: gray, green: gray, blue: gray)
    var canvas = try Canvas(picture)
    canvas.draw(boxes)
    return try canvas.image
  }

  private func box(_ x: Double, _ y: Double, _ side: Double = 100) -> BoxAnnotation {
    BoxAnnotation(
      box: .init(x: x, y: y, width: side, height: side), label: "cat", score: 0.5,
      color: Self.blue, points: [.init(x: x + side / 2, y: y + side / 2)])
  }

  @Test(arguments: [0, 128, 255] as [UInt8])
  func `a box has the colour of its class, on any background`(gray: UInt8) throws {
    let image = try drawn([box(100, 100)], on: gray)
    #expect(image[101, 150] == PixelColor(red: 20, green: 40, blue: 250))
    #expect(image[150, 199] == PixelColor(red: 20, green: 40, blue: 250))
    #expect(image[150, 150] == PixelColor(red: 20, green: 40, blue: 250), "its point")
    #expect(image[130, 130] == PixelColor(red: gray, green: gray, blue: gray))
  }

  @Test func `nothing to show leaves the picture as it was`() throws {
    let none = BoxAnnotation(
      box: .init(x: .nan, y: 0, width: 5, height: 5), label: "", score: 0, color: .white)
    #expect(try drawn([none]) == drawn([]))
  }

  @Test func `labels stand inside the picture and not on one another`() {
    var layout = BoxLabelLayout(width: 400, height: 300)
    let corners = [(0.0, 0.0), (0, 0), (390, 0), (10, 290), (200, 150), (200, 150), (205, 152)]
    var places: [Canvas.Rectangle] = []
    for (x, y) in corners {
      let box = Canvas.Rectangle(x: x, y: y, width: 60, height: 40)
      places.append(layout.placeLabel(width: 80, height: 20, near: box))
    }
    for (index, place) in places.enumerated() {
      #expect(place.x >= 0 && place.maxX <= 400 && place.y >= 0 && place.maxY <= 300, "\(place)")
      for other in places[..<index] {
        let isApart =
          place.maxX <= other.x || other.maxX <= place.x || place.maxY <= other.y
          || other.maxY <= place.y
        #expect(isApart, "\(place) \(other)")
      }
    }
  }

  @Test(arguments: [(0.5, "50 %"), (1, "100 %"), (7.25, "7.25"), (Double.nan, "–")])
  func `a score reads as percents where it is a share`(score: Double, text: String) {
    #expect(
      BoxAnnotation(
        box: .init(x: 0, y: 0, width: 1, height: 1), label: "", score: score, color: .white
      ).scoreText == text)
  }
}
