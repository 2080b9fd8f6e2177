import TensorIOBundle
import TensorIOCore
import TensorIOJSON

extension Detections: PassedResult {
  /// Creates the detections that a chain passes on.
  init(_ all: [Detection]) {
    self.init(all.enumerated().map { (row: $0, detection: $1) }, [])
  }

  static func declaration(
    for model: ModelInfo
  ) throws(ModelError) -> (outputs: [Layer], task: TaskDescription) {
    let roles = try ResultReader(model, .boxes).outputs
    let declared = model.outputs.filter { roles.contains($0.name) }
    var task = TaskDescription(type: DetectionTask.format.names[0])
    if let own = model.task, DetectionTask.format.names.contains(own.type) { task = own }
    let head = task.settings.removeValue(forKey: "head")
    // Clients of tensors read these settings.
    task.settings.merge(["coordinates": "pixels", "box_order": "yxyx"]) { $1 }
    let keypointCount = task.strings("keypoints")?.count
    let shapes: Shapes = [
      (.boxes, [1, nil, 4]), (.scores, [1, nil]), (.classes, [1, nil]), (.count, [1]),
      (.keypoints, [1, nil, keypointCount, 2]),
    ]
    guard head == nil, declared.contains(where: { $0.role == .boxes }) else {
      // Raw outputs, whose labels are those of the boxes.
      var labels = declared.first { $0.role == .boxes }
      labels?.role = .classes
      labels?.name = OutputRole.classes.name
      let hasKeypoints = (keypointCount ?? 0) > 0
      return (
        outputs(
          shapes.filter { $0.role != .count && (hasKeypoints || $0.role != .keypoints) },
          like: labels.map { [$0] } ?? []), task
      )
    }
    // The outputs keep their order.
    let known = declared.compactMap { layer in shapes.first { $0.role == layer.role } }
    return (outputs(known, like: declared), task)
  }

  func numbers(of role: OutputRole, for task: TaskDescription) -> Numbers {
    switch role {
    case .boxes:
      Self.numbers(
        all.flatMap { [$0.box.ymin, $0.box.xmin, $0.box.ymax, $0.box.xmax] }, [1, count, 4])
    case .classes: Self.numbers(all.map { Double($0.index) }, [1, count])
    case .count: Self.numbers([Double(count)], [1])
    case .keypoints:
      Self.numbers(
        all.flatMap { $0.keypoints.flatMap { [$0.y, $0.x] } },
        [1, count, first?.keypoints.count ?? 0, 2])
    default: Numbers(.floats(all.map(\.score)), shape: [1, count])
    }
  }

  private static func numbers(_ values: [Double], _ shape: [Int]) -> Numbers {
    Numbers(.floats(values.map(Float.init)), shape: shape)
  }
}
