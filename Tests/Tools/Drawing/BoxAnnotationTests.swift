import TensorIOImage
import Testing

@testable import TensorIODrawing

@Suite struct BoxAnnotationTests {
  private static let blue = Color(red: 20, green: 40, blue: 250)

  private func drawn(
    _ boxes: [BoxAnnotation], on gray: UInt8 = 128, side: Int = 400
  ) throws -> ImageBuffer {
    let image = try ImageBuffer.filled(
      width: side, height: side, red: gray, green: gray, blue: gray)
    var canvas = try Canvas(image)
    canvas.draw(boxes)
    return try canvas.image
  }

  private func box(_ x: Double, _ y: Double, _ side: Double = 100) -> BoxAnnotation {
    BoxAnnotation(
      box: .init(x: x, y: y, width: side, height: side), label: "cat", score: 0.5,
      color: Self.blue, points: [.init(x: x + side / 2, y: y + side / 2)])
  }

  @Test(arguments: [0, 128, 255] as [UInt8])
  func `A box has its color on any background`(gray: UInt8) throws {
    let image = try drawn([box(100, 100)], on: gray)
    #expect(image[101, 150] == PixelColor(red: 20, green: 40, blue: 250))
    #expect(image[150, 199] == PixelColor(red: 20, green: 40, blue: 250))
    #expect(image[150, 150] == PixelColor(red: 20, green: 40, blue: 250), "its keypoint")
    #expect(image[130, 130] == PixelColor(red: gray, green: gray, blue: gray))
  }

  @Test func `An annotation without a valid box draws nothing`() throws {
    let none = BoxAnnotation(
      box: .init(x: .nan, y: 0, width: 5, height: 5), label: "", score: 0, color: .white)
    #expect(try drawn([none]) == drawn([]))
  }

  @Test func `Labels are inside the image and do not overlap`() {
    var layout = BoxLabelLayout(width: 400, height: 300)
    let corners = [(0.0, 0.0), (0, 0), (390, 0), (10, 290), (200, 150), (200, 150), (205, 152)]
    var labels: [Canvas.Rectangle] = []
    for (x, y) in corners {
      let box = Canvas.Rectangle(x: x, y: y, width: 60, height: 40)
      labels.append(layout.placeLabel(width: 80, height: 20, near: box))
    }
    for (index, label) in labels.enumerated() {
      #expect(label.x >= 0 && label.maxX <= 400 && label.y >= 0 && label.maxY <= 300, "\(label)")
      for other in labels[..<index] {
        let isApart =
          label.maxX <= other.x || other.maxX <= label.x || label.maxY <= other.y
          || other.maxY <= label.y
        #expect(isApart, "\(label) \(other)")
      }
    }
  }

  @Test(arguments: [(0.5, "50 %"), (1, "100 %"), (7.25, "7.25"), (Double.nan, "–")])
  func `A score between 0 and 1 is displayed in percent`(score: Double, text: String) {
    #expect(
      BoxAnnotation(
        box: .init(x: 0, y: 0, width: 1, height: 1), label: "", score: score, color: .white
      ).scoreText == text)
  }
}
