package import TensorIOBundle
package import TensorIOCore

/// Poses: the keypoints of people, hands, faces or other objects.
package struct PoseTask: TaskHandler {
  package static let format = TaskFormat(
    "pose",
    settings: [
      "format": .choice(PoseOptions.Format.allCases.map(\.rawValue)),
      "threshold": .number, "keypoint_threshold": .number, "top": .positiveInteger,
      "coordinates": .choice(DetectionOptions.Coordinates.allCases.map(\.rawValue)),
      "keypoints": .strings, "limbs": .pairs, "label": .string,
      "smooth": .boolean,
    ],
    requiredOutputs: [
      TaskFormat.OutputRequirement("an output with the role \"keypoints\" or \"heatmap\"") {
        outputs in
        outputs.contains { $0.role == .keypoints || $0.role == .heatmap }
      }
    ])

  /// The label of poses that have none.
  private static let defaultLabel = "pose"

  private var decoder: PoseDecoder
  private let label: String
  /// Whether poses are smoothed in streams.
  private let isSmoothed: Bool

  package init(_ context: TaskContext) throws(ModelError) {
    decoder = try PoseDecoder(context.source)
    label = context.source.task?.string("label") ?? Self.defaultLabel
    isSmoothed = context.source.task?.bool("smooth") ?? false
  }

  package mutating func apply(_ options: ResultOptions) {
    decoder.options.threshold = options.threshold ?? decoder.options.threshold
    decoder.options.top = options.top ?? decoder.options.top
  }

  package var replacedOutputs: Set<String> { Set(decoder.outputs) }

  package func makeSmoother() -> (any ResultSmoother)? {
    isSmoothed ? PoseResultSmoother() : nil
  }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    .result(
      PoseResult(
        poses: try decoder.decode(output), label: label,
        keypointThreshold: decoder.options.keypointThreshold))
  }
}

/// Smooths the results of a stream.
private struct PoseResultSmoother: ResultSmoother {
  private var smoother = PoseSmoother()

  mutating func smooth(_ result: any TaskResult, at seconds: Double) -> any TaskResult {
    guard var result = result as? PoseResult else { return result }
    result.poses = smoother.smooth(result.poses, at: seconds)
    return result
  }
}
