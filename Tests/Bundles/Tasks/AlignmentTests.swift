import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// A rotated and scaled face anywhere in an image is aligned.
@Suite struct AlignmentTests {
  private static let targets = [AffineMap.Point(x: 38, y: 51), .init(x: 73, y: 51)]
  private static let side = 112

  /// A dark face with two bright eyes at the target positions.
  private static func face() throws -> ImageBuffer {
    var pixels: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let isEye = targets.contains { target in
          let (dx, dy) = (Double(x) + 0.5 - target.x, Double(y) + 0.5 - target.y)
          return dx * dx + dy * dy <= 36
        }
        pixels += Array(repeating: isEye ? 255 : 20, count: 3)
      }
    }
    return try ImageBuffer(width: side, height: side, format: .rgb, pixels: pixels)
  }

  /// Returns the center of the bright pixels in a range of columns.
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
  func `Aligned keypoints are within a pixel of their targets`(degrees: Double, scale: Double)
    throws
  {
    let angle = degrees * .pi / 180
    let (sine, cosine) = (sin(angle) * scale, cos(angle) * scale)
    let map = AffineMap(a: cosine, b: sine, c: -sine, d: cosine, tx: 90, ty: 70)
    let image = try Self.face().warped(by: map, width: 320, height: 280)
    let eyes = Self.targets.map { map.apply($0.x, $0.y) }
    let detection = Detection(
      label: "face", index: 0, score: 1, box: BoundingBox(xmin: 0, ymin: 0, xmax: 9, ymax: 9),
      keypoints: eyes.map { Keypoint(name: "eye", x: $0.x, y: $0.y) })
    let alignment = Alignment(
      image: .input("picture"), detections: "find", points: Self.targets, width: Self.side,
      height: Self.side)
    let inverse = try #require(alignment.map(for: detection))
    let aligned = try image.warped(by: inverse, width: Self.side, height: Self.side)
    for (columns, target) in zip([20..<56, 56..<92], Self.targets) {
      let actual = eye(aligned, columns: columns)
      #expect(
        isClose(actual.x, to: target.x, within: 1) && isClose(actual.y, to: target.y, within: 1))
    }
  }

  @Test func `Without points, the box fills the aligned image`() throws {
    let alignment = Alignment(image: .input("p"), detections: "d", width: 10, height: 20)
    let box = BoundingBox(xmin: 4, ymin: 6, xmax: 9, ymax: 16)
    let map = try #require(
      alignment.map(for: Detection(label: "", index: 0, score: 1, box: box)))
    #expect(map.apply(4, 6) == (0, 0) && map.apply(9, 16) == (10, 20))
  }

  @Test func `A detection with too few keypoints cannot be aligned`() {
    let alignment = Alignment(
      image: .input("p"), detections: "d", points: Self.targets, width: 9, height: 9)
    let box = BoundingBox(xmin: 0, ymin: 0, xmax: 9, ymax: 9)
    #expect(alignment.map(for: Detection(label: "", index: 0, score: 1, box: box)) == nil)
  }
}
