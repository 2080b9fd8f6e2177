import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

@Suite struct OverlayTests {
  private func json(_ elements: [Overlay.Element]) throws -> [JSONTree] {
    var writer = JSONWriter()
    Overlay(elements).write(to: &writer)
    return try #require(JSONTree(writer.string).array)
  }

  @Test func `Every element is an object with its type`() throws {
    let (a, b) = (AffineMap.Point(x: 1, y: 2), AffineMap.Point(x: 3.456, y: 4))
    let red = PixelColor(red: 255, green: 0, blue: 0)
    let box = BoundingBox(xmin: 0, ymin: 1, xmax: 2, ymax: 3)
    let elements = try json([
      .box(.init(box: box, label: "cat", score: 0.5, color: red, points: [a])),
      .polygon(.init(corners: [a, b, a], label: "x", score: 0.25, color: red)),
      .lines([.init(from: a, to: b, color: red)]),
      .points([a, b], color: red),
      .mask(
        .init(
          region: box, width: 2, indices: [0, 1], palette: [nil, red],
          legend: [.init(label: "cat", color: red)])),
      .scores([.init(label: "cat", score: 0.5, index: 3)]),
    ])
    #expect(
      elements.map { $0["type"]?.string } == [
        "box", "polygon", "lines", "points", "mask", "scores",
      ])
    #expect(elements[0]["box"]?["ymax"]?.number == 3 && elements[0]["color"]?.string == "#ff0000")
    #expect(elements[1]["points"]?.array?[1].array?[0].number == 3.46)
    #expect(elements[2]["lines"]?.array?[0]["points"]?.array?.count == 2)
    #expect(elements[4]["png"]?.string?.isEmpty == false)
    #expect(elements[4]["legend"]?.array?[0]["label"]?.string == "cat")
    #expect(elements[5]["scores"]?.array?[0]["index"]?.number == 3)
  }

  @Test func `The pixels of a mask without a color are transparent`() throws {
    let red = PixelColor(red: 255, green: 0, blue: 0)
    let mask = Overlay.Mask(
      region: BoundingBox(xmin: 0, ymin: 0, xmax: 3, ymax: 1), width: 3, indices: [0, 1, 9],
      palette: [nil, red])
    let image = try #require(mask.image)
    #expect(image.pixels == [0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0])
    let png = try ImageBuffer(decoding: image.encoded(as: .png))
    #expect((png.width, png.height) == (3, 1))
  }

  @Test func `An incomplete mask has no pixels beyond its rows`() {
    let mask = Overlay.Mask(
      region: BoundingBox(xmin: 0, ymin: 0, xmax: 1, ymax: 1), width: 2, indices: [0, 0, 0],
      palette: [])
    #expect(mask.height == 1)
    #expect(
      Overlay.Mask(
        region: BoundingBox(xmin: 0, ymin: 0, xmax: 1, ymax: 1), width: 0, indices: [1],
        palette: []
      ).image == nil)
  }
}
