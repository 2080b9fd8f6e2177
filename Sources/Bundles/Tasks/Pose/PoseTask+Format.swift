package import TensorIOBundle
import TensorIOJSON

extension PoseTask {
  package static let format = TaskFormat(
    "pose",
    requiredOutputs: [
      TaskFormat.OutputRequirement("an output with the role \"keypoints\" or \"heatmap\"") {
        outputs in
        outputs.contains { $0.role == .keypoints || $0.role == .heatmap }
      }
    ],
    interface: TaskInterface(
      "poses",
      .init("poses", type: "Poses", "The poses, in pixels of the image, highest score first."))
  ) {
    Field(
      "format", .choice(of: PoseOptions.Format.allCases.map(\.rawValue)),
      otherwise: "inferred from roles and shapes",
      "The [format](Tasks.md#pose) of the outputs."
    ).example("\"movenet\"")
    minimumScore
    iouThreshold
    minimumKeypointScore
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
    label
    smooths
  }

  static let minimumScore = TaskSetting.number(
    "threshold", default: PoseOptions.defaultMinimumScore, "The minimum score of a pose."
  ).example("0.5")
  static let iouThreshold = TaskSetting(
    "iou", .preciseNumber(in: .fraction), default: PoseOptions.defaultIoUThreshold,
    "With the format `yolov8`, the maximum intersection over union of the boxes of two poses, 0 to 1.",
    convert: \.double
  ).example("0.7")
  static let minimumKeypointScore = TaskSetting.number(
    "keypoint_threshold", default: PoseOptions.defaultMinimumKeypointScore,
    "The minimum score of the keypoints that are drawn and listed in texts; JSON and Swift have all."
  ).example("0.3")
  static let label = TaskSetting(
    "label", .nonemptyString, default: "pose", "The label of all poses.", convert: \.string
  ).example("\"person\"")
  static let smooths = TaskSetting.flag(
    "smooth", "Whether `tensorio stream` smooths the keypoints over frames.")
}
