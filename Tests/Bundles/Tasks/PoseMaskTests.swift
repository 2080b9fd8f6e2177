import Foundation
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

/// Tests of the masks of people.
///
/// `Scripts/fixtures/golden/make-person-masks.py` computes the expected people of cells with NumPy.
struct PoseMaskTests {
  /// Long offsets, and the person of each cell.
  struct Case: Decodable {
    let height: Int
    let width: Int
    let strides: [Double]
    let offsets: [Float]
    let people: [[[Float]?]]
    let owners: [Int]
  }

  @Test func `The person of each cell equals the reference`() throws {
    let path = ProjectFiles.path("Tests/Fixtures/Poses/person-masks.json")
    let cases = try JSONDecoder().decode(
      [Case].self, from: Data(contentsOf: URL(filePath: path)))
    #expect(cases.count == 4)
    for test in cases {
      let assignment = try #require(
        PersonAssignment(
          height: test.height, width: test.width, keypointCount: 17, offsets: test.offsets,
          strides: (test.strides[0], test.strides[1])))
      let people = test.people.map { person in
        person.map { point -> PersonAssignment.Point? in
          point.map { PersonAssignment.Point(y: $0[1], x: $0[0]) }
        }
      }
      #expect(assignment.owners(of: people) == test.owners)
      #expect(assignment.owners(of: []) == nil)
    }
  }

  private static let (rows, columns) = (5, 11)

  /// Returns a model with a person at the left and another one at the right; cells of rows 1 to 3 are people.
  private static func model(
    offsets: Float = 0, maskCount: Int? = nil, task: String = #""threshold": 0.05"#
  ) throws -> Model {
    let shapes = [
      ("h", "heatmap", 17), ("o", "offsets", 34), ("d", "displacements", 64), ("m", "mask", 1),
      ("l", "long_offsets", 34),
    ]
    let outputs = shapes.map { name, role, count in
      #"{"name": "\#(name)", "type": "array", "shape": [1, 5, 11, \#(count)], "role": "\#(role)"}"#
    }
    let bundle = try TestBundle(
      inputs: #"{"name": "image", "type": "image", "shape": [65, 161, 3], "format": "RGB"}"#,
      outputs: outputs.joined(separator: ", "),
      extra: #""task": {"type": "pose", "label": "person", \#(task)}"#)
    var heatmap = [Float](repeating: -9, count: rows * columns * 17)
    for (column, logit) in [(2, Float(5)), (8, 4)] { heatmap[(2 * columns + column) * 17] = logit }
    let mask = (0..<rows * columns).map { (1...3).contains($0 / columns) ? Float(3) : -3 }
    let cells = rows * columns
    let values = [
      heatmap, [Float](repeating: 0, count: 34 * cells), [Float](repeating: 0, count: 64 * cells),
      mask, [Float](repeating: offsets, count: 34 * cells),
    ].map(\.rawBytes)
    return try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, 65, 161, 3])],
        outputs: shapes.map {
          TensorInfo(name: $0.0, elementType: .float32, shape: [1, 5, 11, $0.2])
        }
      ) { _ in values })
  }

  private static func image(_ width: Int = 161, _ height: Int = 65) throws -> ImageBuffer {
    try ImageBuffer(
      width: width, height: height, format: .rgb,
      pixels: [UInt8](repeating: 128, count: 3 * width * height))
  }

  @Test func `Pixels belong to the person whose keypoints are closest`() throws {
    let output = try Self.model().run(Self.image())
    let (poses, masks) = (try output.poses, try output.instanceMasks)
    #expect(poses.count == 2 && masks.count == 2)
    #expect(masks.map(\.detection.label) == ["person", "person"])
    #expect(masks.map(\.detection.score) == poses.map(\.score))
    // Scores are above 0 between half the distance to the rows outside: 8 pixels around rows 1 and 3. Cells of
    // columns 0 to 5 are closer to the left person.
    let (left, right) = (masks[0], masks[1])
    #expect((left.left, left.top, left.height) == (0, 8, 48))
    #expect(left.left + left.width == right.left && right.left + right.width == 161)
    #expect(abs(right.left - 88) <= 1)
    #expect(left.pixelCount == left.width * 48 && right.pixelCount == right.width * 48)
    #expect(left.contains(x: 40, y: 30) && !right.contains(x: 40, y: 30))
  }

  @Test func `Masks are part of the result of the task, and follow the size of the image`() throws {
    let model = try Self.model()
    let processed = try TaskPostprocessor(model).process(model.run(Self.image(322, 130)))
    let result = try #require(processed.result as? PoseResult)
    #expect(result.masks.map(\.height) == [96, 96])
    #expect(processed.output.layers.isEmpty)
    let masks = result.overlay.elements.filter { if case .mask = $0 { true } else { false } }
    #expect(masks.count == 2)
    let cutOut = try #require(try result.cutOut(from: Self.image(322, 130)))
    #expect(cutOut.format == .rgba)
    #expect(cutOut.pixels[3] == 0 && cutOut.pixels[4 * (60 * 322 + 20) + 3] == 255)
  }

  @Test func `Offsets that are not finite do not fail`() throws {
    let output = try Self.model(offsets: .nan).run(Self.image())
    #expect(try output.instanceMasks.count == 2)
  }

  @Test func `A model without long offsets has no masks`() throws {
    let bundle = try TestBundle(
      inputs: #"{"name": "image", "type": "image", "shape": [9, 9, 3], "format": "RGB"}"#,
      outputs: #"{"name": "h", "type": "array", "shape": [1, 3, 3, 17], "role": "heatmap"}"#,
      extra: #""task": {"type": "pose"}"#)
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, 9, 9, 3])],
        outputs: [TensorInfo(name: "h", elementType: .float32, shape: [1, 3, 3, 17])]
      ) { _ in [[Float](repeating: 1, count: 153).rawBytes] })
    let output = try model.run(Self.image(9, 9))
    #expect(throws: ModelError.self) { try output.instanceMasks }
    let result = try TaskPostprocessor(model).process(output).result as? PoseResult
    #expect(result?.masks.isEmpty == true)
  }
}
