import TensorIOBundle
import TensorIOCore

/// YOLO v3 to v7 with decoded boxes: `[1, N, 5 + classes]`, the fifth number is the objectness.
struct YOLOv5Head: DetectionHead {
  static let name = "yolov5"
  static let hasScoresOutput = false
  static let defaults = HeadDefaults()

  private let activation: ScoreActivation
  private let boxOrder: DetectionOptions.BoxOrder

  init(_ context: HeadContext) throws(ModelError) {
    activation = try ScoreActivation(context, default: .none)
    boxOrder = context.boxOrder
  }

  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates {
    let values = tensors.boxes.values
    let objects = try ObjectnessRows(tensors.boxes, head: Self.name)
    return objects.candidates(activation, threshold: threshold) { _, first in
      BoundingBox(
        values[first], values[first + 1], values[first + 2], values[first + 3], order: boxOrder)
    }
  }
}
