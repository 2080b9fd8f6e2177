import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

/// A box drawn on an image of 1280 × 720 is mapped back for every fit and orientation.
@Suite struct DetectionRoundTripTests {
  /// A bright rectangle, off center and inside the region that a crop uses.
  private static let drawn = BoundingBox(xmin: 500, ymin: 200, xmax: 820, ymax: 440)

  private static func image(_ orientation: ImageOrientation) throws -> ImageBuffer {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(1280 * 720 * 3)
    for y in 0..<720 {
      for x in 0..<1280 {
        let isInside = (500..<820).contains(x) && (200..<440).contains(y)
        let value: UInt8 = isInside ? 255 : 0
        pixels += [value, value, value]
      }
    }
    let upright = try ImageBuffer(width: 1280, height: 720, format: .rgb, pixels: pixels)
    return try upright.stored(orientation)
  }

  /// A fake model that detects the bright rectangle, in normalized coordinates.
  private func model(_ bundle: TestBundle, _ side: Int) throws -> Model {
    try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, side, side, 3])],
        outputs: [[1, 1, 4], [1, 1]].map {
          TensorInfo(name: "o", elementType: .float32, shape: TensorShape($0))
        }
      ) { inputs in [Self.brightBox(inputs[0], side).rawBytes, [Float(1)].rawBytes] })
  }

  /// Returns the edges of the bright rectangle with subpixel accuracy.
  private static func brightBox(_ pixels: [UInt8], _ side: Int) -> [Float] {
    func value(_ x: Int, _ y: Int) -> Double { Double(pixels[(y * side + x) * 3]) / 255 }
    let columns = (0..<side).map { x in (0..<side).reduce(0) { max($0, value(x, $1)) } }
    let rows = (0..<side).map { y in (0..<side).reduce(0) { max($0, value($1, y)) } }
    return [edge(rows), edge(columns), edge(rows, fromEnd: true), edge(columns, fromEnd: true)]
      .map { Float($0 / Double(side)) }
  }

  private static func edge(_ line: [Double], fromEnd: Bool = false) -> Double {
    let line = fromEnd ? line.reversed() : line
    let first = line.firstIndex { $0 >= 0.5 } ?? 0
    // The subpixel position follows from the brightness of the first half-bright pixel and the one
    // before.
    let dark = (1 - min(1, line[first])) - min(1, first > 0 ? line[first - 1] : 0)
    let position = Double(first) + dark
    return fromEnd ? Double(line.count) - position : position
  }

  @Test(arguments: ImageFit.allCases, 1...8)
  func `A detected box maps back within a pixel`(fit: ImageFit, orientation: Int) throws {
    let bundle = try TestBundle(
      inputs: """
        {"name": "i", "type": "image", "shape": [360, 360, 3], "format": "RGB", "fit": "\(fit.rawValue)",
         "filter": "area"}
        """,
      outputs: """
        {"name": "b", "type": "array", "shape": [1, 1, 4], "role": "boxes"},
        {"name": "s", "type": "array", "shape": [1, 1], "role": "scores"}
        """, extra: #""task": {"type": "detection"}"#)
    let model = try model(bundle, 360)
    let orientation = try #require(ImageOrientation(rawValue: orientation))
    let detections = try DetectionTask(model).result(of: model.run(Self.image(orientation)))
    let box = try #require(detections.first).box
    for (edge, expected) in zip(
      [box.xmin, box.ymin, box.xmax, box.ymax],
      [Self.drawn.xmin, Self.drawn.ymin, Self.drawn.xmax, Self.drawn.ymax])
    {
      #expect(isClose(edge, to: expected, within: 1), "\(fit) \(orientation): \(box)")
    }
  }
}

extension ImageBuffer {
  /// Returns the image as stored by a camera that is held in another orientation.
  fileprivate func stored(_ orientation: ImageOrientation) throws -> ImageBuffer {
    // The inverse transformation is undone by the orientation.
    var image = self
    image.orientation = orientation.inverse
    var stored = image.upright()
    stored.orientation = orientation
    return stored
  }
}

extension ImageOrientation {
  /// The inverse orientation. Only quarter turns differ from their inverse.
  fileprivate var inverse: ImageOrientation {
    switch rawValue {
    case 6: ImageOrientation(rawValue: 8) ?? self
    case 8: ImageOrientation(rawValue: 6) ?? self
    default: self
    }
  }
}
