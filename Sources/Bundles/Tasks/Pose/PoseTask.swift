package import TensorIOBundle
package import TensorIOCore

/// Poses: the keypoints of people, hands, faces or other objects.
package struct PoseTask: TaskHandler {
  package static let format = TaskFormat(
    "pose",
    settings: [
      "format": .choice(PoseOptions.Format.allCases.map(\.rawValue)),
      "threshold": .number, "keypoint_threshold": .number, "top": .positiveInteger,
      "iou": .fraction,
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
  static let defaultLabel = "pose"

  private var decoder: PoseDecoder
  /// Decodes the masks of people; `nil` for models without them.
  private let masks: PoseMaskDecoder?
  private let label: String
  /// Whether poses are smoothed in streams.
  private let isSmoothed: Bool
  /// What to follow in a stream, and the minimum score of poses that start objects.
  private var tracking: (request: TrackingRequest, threshold: Float)?

  package init(_ source: OutputSource) throws(ModelError) {
    decoder = try PoseDecoder(source)
    masks =
      PoseMaskDecoder.isAvailable(source) ? try PoseMaskDecoder(source) : nil
    label = source.task?.string("label") ?? Self.defaultLabel
    isSmoothed = source.task?.bool("smooth") ?? false
  }

  package static var canTrack: Bool { true }

  package mutating func apply(_ options: ResultOptions) {
    decoder.options.threshold = options.threshold ?? decoder.options.threshold
    decoder.options.top = options.top ?? decoder.options.top
    guard let request = options.tracking else { return }
    // Poses with lower scores continue objects.
    let threshold = decoder.options.threshold
    tracking = (request, threshold)
    decoder.options.threshold = ObjectCounter.lowThreshold(for: threshold)
  }

  package var replacedOutputs: Set<String> { Set(decoder.outputs) }

  package func makeSmoother() -> (any ResultSmoother)? {
    guard isSmoothed || tracking != nil else { return nil }
    return PoseResultTracker(
      tracking?.request, threshold: tracking?.threshold ?? decoder.options.threshold,
      isSmoothed: isSmoothed)
  }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    let poses = try decoder.decode(output)
    var result = PoseResult(
      poses: poses, label: label, keypointThreshold: decoder.options.keypointThreshold)
    result.masks = try masks?.masks(of: poses, in: output) ?? []
    return .result(result)
  }
}
