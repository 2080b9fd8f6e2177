package import TensorIOBundle
package import TensorIOCore

/// Poses: the keypoints of people, hands, faces or other objects.
package struct PoseTask: TaskHandler {
  package static let format = TaskFormat(
    "pose",
    requiredOutputs: [
      TaskFormat.OutputRequirement("an output with the role \"keypoints\" or \"heatmap\"") {
        outputs in
        outputs.contains { $0.role == .keypoints || $0.role == .heatmap }
      }
    ]
  ) {
    Field(
      "format", .choice(of: PoseOptions.Format.allCases.map(\.rawValue)),
      otherwise: "inferred from roles and shapes",
      "The [format](Tasks.md#pose) of the outputs."
    ).example("\"movenet\"")
    Field("threshold", .number, otherwise: "0.25", "The minimum score of a pose.").example("0.5")
    Field(
      "iou", .number(in: .fraction), otherwise: "0.45",
      """
      With the format `yolov8`, the maximum intersection over union of the boxes of two poses, 0 to 1.
      """
    ).example("0.7")
    Field(
      "keypoint_threshold", .number, otherwise: "0.2",
      """
      The minimum score of the keypoints that are drawn and listed in texts; JSON and Swift have all.
      """
    ).example("0.3")
    Field.top("poses").otherwise("all")
    Field(
      "coordinates", .choice(of: DetectionOptions.Coordinates.allCases.map(\.rawValue)),
      otherwise: "`\"normalized\"` for MoveNet, else `\"pixels\"`",
      "Whether keypoints are relative to the size of the model's input image, or in pixels."
    ).example("\"normalized\"")
    Field.keypoints.otherwise("those of COCO for 17 keypoints, else their indices")
    Field(
      "limbs", .pairs, otherwise: "18 lines for the keypoints of COCO, else none",
      "Pairs of names of keypoints, between which lines are drawn."
    ).example("[[\"wrist\", \"thumb\"]]")
    Field("label", .nonemptyString, otherwise: "`\"pose\"`", "The label of all poses.").example(
      "\"person\"")
    Field(
      "smooth", .boolean, otherwise: "`false`",
      "Whether `tensorio stream` smooths the keypoints over frames.")
  }

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
