import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOTasks

/// A face that lies anywhere in a picture, turned and of any size, is brought to its place.
@Suite struct AlignmentTests {
  private static let places = [AffineMap.Point(x: 38, y: 51), .init(x: 73, y: 51)]
  private static let side = 112

  /// A face in its place: dark, with two bright eyes.
  private static func face() throws -> ImageBuffer {
    var pixels: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let isEye = places.contains { place in
          let (dx, dy) = (Double(x) + 0.5 - place.x, Double(y) + 0.5 - place.y)
          return dx * dx + dy * dy <= 36
        }
        pixels += Array(repeating: isEye ? 255 : 20, count: 3)
      }
    }
    return try ImageBuffer(width: side, height: side, format: .rgb, pixels: pixels)
  }

  /// The middle of what is bright on one side of the picture.
  private func eye(_ image: ImageBuffer, columns: Range<Int>) -> AffineMap.Point {
    var (sum, x, y) = (0.0, 0.0, 0.0)
    for row in 0..<image.height {
      for column in columns where image[column, row].red > 128 {
        let weight = Double(image[column, row].red)
        sum += weight
        x += weight * (Double(column) + 0.5)
        y += weight * (Double(row) + 0.5)
      }
    }
    return .init(x: x / sum, y: y / sum)
  }

  @Test(arguments: [-30.0, -12, 0, 17, 30], [0.5, 1, 1.5])
  func `eyes come back within a pixel`(degrees: Double, scale: Double) throws {
    let turn = degrees * .pi / 180
    let (sine, cosine) = (sin(turn) * scale, cos(turn) * scale)
    let away = AffineMap(a: cosine, b: sine, c: -sine, d: cosine, tx: 90, ty: 70)
    let picture = try Self.face().warped(by: away, width: 320, height: 280)
    let eyes = Self.places.map { away.apply($0.x, $0.y) }
    let detection = Detection(
      label: "face", index: 0, score: 1, box: BoundingBox(xmin: 0, ymin: 0, xmax: 9, ymax: 9),
      keypoints: eyes.map { Keypoint(name: "eye", x: $0.x, y: $0.y) })
    let alignment = Alignment(
      image: .input("picture"), detections: "find", points: Self.places, width: Self.side,
      height: Self.side)
    let map = try #require(alignment.map(for: detection))
    let aligned = try picture.warped(by: map, width: Self.side, height: Self.side)
    for (columns, place) in zip([20..<56, 56..<92], Self.places) {
      let found = eye(aligned, columns: columns)
      #expect(isClose(found.x, to: place.x, within: 1) && isClose(found.y, to: place.y, within: 1))
    }
  }

  @Test func `without points the box becomes the whole picture`() throws {
    let alignment = Alignment(image: .input("p"), detections: "d", width: 10, height: 20)
    let box = BoundingBox(xmin: 4, ymin: 6, xmax: 9, ymax: 16)
    let map = try #require(
      alignment.map(for: Detection(label: "", index: 0, score: 1, box: box)))
    #expect(map.apply(4, 6) == (0, 0) && map.apply(9, 16) == (10, 20))
  }

  @Test func `what has too few points cannot be aligned`() {
    let alignment = Alignment(
      image: .input("p"), detections: "d", points: Self.places, width: 9, height: 9)
    let box = BoundingBox(xmin: 0, ymin: 0, xmax: 9, ymax: 9)
    #expect(alignment.map(for: Detection(label: "", index: 0, score: 1, box: box)) == nil)
  }
}
