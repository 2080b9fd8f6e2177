import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

/// Evaluations whose predictions are the results of tasks.
@Suite struct TaskEvaluatorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Evaluates a model with an image input of 4 × 4 pixels, which is stretched, and one output.
  private func result(
    task: String, role: String, shape: [Int], _ values: [Float], data: String
  ) throws -> EvaluationResult {
    let bundle = try FunctionBundle(
      inputs: #"""
        {"name": "x", "type": "image", "shape": [4, 4, 3], "format": "RGB", "fit": "stretch"}
        """#,
      outputs: #"{"name": "y", "type": "array", "shape": \#(shape), "role": "\#(role)"}"#,
      extra: #""task": \#(task)"#)
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "x", elementType: .uint8, shape: [1, 4, 4, 3])],
        outputs: [TensorInfo(name: "y", elementType: .float32, shape: TensorShape(shape))]
      ) { _ in [values.rawBytes] })
    let plan = try EvaluationPlan(bundle.read(), dataAt: data)
    let result = try Evaluation(plan) { _ in model }.run()
    #expect(Set(result.metrics.map(\.name)).isSubset(of: try #require(plan.metricNames)))
    return result
  }

  private func metric(_ name: String, _ result: EvaluationResult) -> Double? {
    result.metrics.first { $0.name == name }?.value
  }

  /// Evaluates scores of 2 × 2 cells against a mask of 8 × 8 pixels with a left and a right half.
  private func segmentation(
    _ values: [Float], shape: [Int], task: String = #"{"type": "segmentation"}"#,
    mask: [UInt8] = [0, 1]
  ) throws -> EvaluationResult {
    try folder.draw("images/a.png", gray: 9)
    let pixels = (0..<64).map { $0 % 8 < 4 ? mask[0] : mask[1] }
    try folder.write(
      ImageBuffer(width: 8, height: 8, format: .gray, pixels: pixels)
        .encoded(as: ImageEncoding.png), to: "masks/a.png")
    return try result(task: task, role: "mask", shape: shape, values, data: folder.path)
  }

  @Test func `Scores are enlarged before the class of a pixel is chosen`() throws {
    // Both classes are equal at a quarter of the way from the left to the right cell.
    let row: [Float] = [0.5, 0, 0, 1.5]
    let result = try segmentation(row + row, shape: [1, 2, 2, 2])
    // The fourth column of the left half is beyond.
    #expect(result.failedItems.isEmpty && metric("pixel_accuracy", result) == 56.0 / 64)
    #expect(metric("miou", result) == (24.0 / 32 + 32.0 / 40) / 2)
  }

  @Test func `The boundary F score is part of the metrics, over all classes and by class`() throws {
    let row: [Float] = [1, 0, 0, 1]
    let result = try segmentation(row + row, shape: [1, 2, 2, 2])
    #expect(metric("boundary_f", result) == 1 && metric("miou", result) == 1)
    #expect(
      result.classes.map { $0.metrics.map(\.name) } == [
        ["iou", "boundary_f"], ["iou", "boundary_f"],
      ])
  }

  @Test func `The threshold and the activation of the task apply to a single class`() throws {
    let task = #"{"type": "segmentation", "activation": "sigmoid", "threshold": 0.9}"#
    // The probabilities are 0.88 and 0.95.
    let result = try segmentation([2, 3, 2, 3], shape: [1, 2, 2, 1], task: task)
    let accuracy = try #require(metric("pixel_accuracy", result))
    #expect(accuracy > 0.85)
    let opposite = try segmentation([3, 2, 3, 2], shape: [1, 2, 2, 1], task: task)
    #expect(try #require(metric("pixel_accuracy", opposite)) < 0.15)
  }

  @Test func `Pixels of the ignored class do not count`() throws {
    let row: [Float] = [1, 0, 1, 0]
    let result = try segmentation(row + row, shape: [1, 2, 2, 2], mask: [0, 255])
    #expect(metric("miou", result) == 1 && metric("pixel_accuracy", result) == 1)
    #expect(result.classes.map(\.count) == [32])
  }

  /// Evaluates a pose whose keypoint k is at (k, 2k) pixels of an image of 40 × 40 pixels.
  private func pose(marked: (Int) -> (x: Double, y: Double)) throws -> EvaluationResult {
    try folder.draw("a.png", gray: 9, width: 40, height: 40)
    let keypoints = (0..<17).map { index in
      let point = marked(index)
      return "\(point.x), \(point.y), \(index == 3 ? 0 : 2)"
    }
    let data = try folder.write(
      """
      {"images": [{"id": 1, "file_name": "a.png", "width": 40, "height": 40}],
       "categories": [{"id": 1, "name": "person", "keypoints":
         [\((0..<17).map { "\"k_\($0)\"" }.joined(separator: ", "))]}],
       "annotations": [
         {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 40, 40], "area": 1500,
          "iscrowd": 0, "num_keypoints": 16, "keypoints": [\(keypoints.joined(separator: ", "))]}
       ]}
      """, to: "person_keypoints.json")
    let row = (0..<17).flatMap { index -> [Float] in
      [Float(index) * 2 / 40, Float(index) / 40, 0.1]
    }
    return try result(
      task: #"{"type": "pose", "threshold": 0.9}"#, role: "keypoints", shape: [1, 1, 17, 3], row,
      data: data)
  }

  @Test func `Poses are evaluated with COCO keypoints, whatever the threshold of the bundle`()
    throws
  {
    let exact = try pose { (Double($0), Double($0) * 2) }
    #expect(exact.failedItems.isEmpty && metric("ar_large", exact) == nil)
    // The reference divides by a sum that is slightly too large.
    for name in ["map", "ar", "map_medium"] {
      #expect(isClose(try #require(metric(name, exact)), to: 1, within: 1e-9), "\(name)")
    }
    #expect(metric("map_large", exact) == nil)
    let near = try pose { (Double($0) + 1.5, Double($0) * 2 + 1.5) }
    let precision = try #require(metric("map", near))
    #expect(precision > 0 && precision < 0.999)
    #expect(isClose(try #require(metric("map50", near)), to: 1, within: 1e-9))
    let far = try pose { (39 - Double($0), Double($0)) }
    #expect(metric("map", far) == 0)
  }

  @Test func `Annotations without keypoints cannot be compared with poses`() throws {
    try folder.draw("a.png", gray: 9)
    let data = try folder.write(
      """
      {"images": [{"id": 1, "file_name": "a.png"}], "categories": [{"id": 1, "name": "person"}],
       "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4]}]}
      """, to: "boxes.json")
    #expect(throws: ModelError.self) {
      _ = try result(
        task: #"{"type": "pose"}"#, role: "keypoints", shape: [1, 1, 17, 3],
        [Float](repeating: 0, count: 51), data: data)
    }
  }
}
