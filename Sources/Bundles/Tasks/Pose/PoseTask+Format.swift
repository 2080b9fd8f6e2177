package import TensorIOBundle

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
}
