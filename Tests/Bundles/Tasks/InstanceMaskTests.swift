import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Tests of the masks of detected objects.
struct InstanceMaskTests {
  /// Returns the output of a model with an 8 × 8 input, one class, two boxes and two prototypes of
  /// 4 × 4 cells.
  ///
  /// The first prototype is positive in the left half, the second one in the upper half.
  private static func output(
    planes: Bool = true, columns: Bool = true
  ) throws -> (model: Model, output: ModelOutput) {
    // Center, size, score, and the weights of the prototypes.
    let boxes: [[Float]] = [[4, 4, 8, 8, 0.9, 1, 0], [2, 4, 4, 8, 0.8, 0, 1]]
    let left: [Float] = (0..<16).map { $0 % 4 < 2 ? 1 : -1 }
    let upper: [Float] = (0..<16).map { $0 < 8 ? 1 : -1 }
    let numbers =
      columns ? (0..<7).flatMap { row in boxes.map { $0[row] } } : boxes.flatMap(\.self)
    let prototypes = planes ? left + upper : zip(left, upper).flatMap { [$0, $1] }
    let shape = columns ? "[1, 7, 2]" : "[1, 2, 7]"
    let grid = planes ? "[1, 2, 4, 4]" : "[1, 4, 4, 2]"
    let bundle = try TestBundle(
      inputs:
        #"{"name": "i", "type": "image", "shape": [8, 8, 3], "format": "RGB", "fit": "stretch"}"#,
      outputs: """
        {"name": "b", "type": "array", "shape": \(shape), "role": "boxes", "labels": "labels.txt"},
        {"name": "p", "type": "array", "shape": \(grid), "role": "prototypes"}
        """,
      labels: "cat\n",
      extra:
        #""task": {"type": "detection", "head": "yolov8", "suppression": "class-agnostic", "iou": 0.9}"#
    )
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, 8, 8, 3])],
        outputs: [
          TensorInfo(
            name: "b", elementType: .float32, shape: columns ? [1, 7, 2] : [1, 2, 7]),
          TensorInfo(
            name: "p", elementType: .float32, shape: planes ? [1, 2, 4, 4] : [1, 4, 4, 2]),
        ]
      ) { _ in [numbers.rawBytes, prototypes.rawBytes] })
    let image = try ImageBuffer.filled(width: 16, height: 16, red: 1, green: 2, blue: 3)
    let output = try model.run(image)
    withExtendedLifetime(bundle) {}
    return (model, output)
  }

  @Test(arguments: [true, false], [true, false])
  func `A mask is the positive part of the weighted prototypes in the box`(
    _ planes: Bool, _ columns: Bool
  ) throws {
    let masks = try Self.output(planes: planes, columns: columns).output.instanceMasks
    try #require(masks.count == 2)
    #expect(masks.map(\.detection.label) == ["cat", "cat"])
    #expect(masks.map(\.width) == [16, 8])
    #expect(masks.map(\.height) == [16, 16])
    #expect(masks.map(\.pixelCount) == [128, 64])
    #expect(masks[0].contains(x: 7, y: 15) && !masks[0].contains(x: 8, y: 0))
    #expect(masks[1].contains(x: 7, y: 7) && !masks[1].contains(x: 0, y: 8))
    #expect(!masks[1].contains(x: 8, y: 0))
    #expect(try masks[1].image.pixels.prefix(8).allSatisfy { $0 == 255 })
  }

  @Test func `Results contain the masks and can be cut out`() throws {
    let (model, output) = try Self.output()
    let processed = try TaskPostprocessor(model).process(output)
    #expect(processed.output.layers.isEmpty)
    let result = try #require(processed.result)
    let kinds = result.overlay.elements.map { element in
      if case .mask = element { "mask" } else if case .box = element { "box" } else { "other" }
    }
    #expect(kinds == ["mask", "mask", "box", "box"])
    let image = try ImageBuffer.filled(width: 16, height: 16, red: 1, green: 2, blue: 3)
    let subject = try #require(try result.cutOut(from: image))
    let opaque = stride(from: 3, to: subject.pixels.count, by: 4).count {
      subject.pixels[$0] == 255
    }
    // The union of both masks is the left half.
    #expect(opaque == 128)
  }
}
