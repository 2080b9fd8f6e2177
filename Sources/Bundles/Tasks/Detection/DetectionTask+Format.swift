package import TensorIOBundle

extension DetectionTask {
  package static let format = TaskFormat(
    "detection",
    requiredOutputs: [
      .role(.boxes),
      .role(.scores) { task in DetectionHeads.head(of: task)?.hasScoresOutput ?? true },
    ],
    interface: TaskInterface(
      "detections",
      .init(
        "detections", type: "Detections", element: "Detection",
        "The detected objects, in pixels of the image, highest score first.")
    ).with {
      $0.labeledOutput = { outputs in
        outputs.first { $0.role == .classes } ?? outputs.first { $0.role == .boxes }
      }
      // An empty label is replaced by its index, and a label of the task by those of the output.
      $0.canList = { !$0.contains("") && $1?.settings["label"] == nil }
    }, hasLabeledScores: { $0.settings["head"] == nil }
  ) {
    minimumScore
    Field.top("results").otherwise("all; \(DetectionOptions.defaultHeadTop) with a `head`")
    Field.allow
    Field.deny
    Field(
      "iou", .number(in: .fraction),
      otherwise: """
        no suppression; \(HeadDefaults.iouThreshold) with a `head`, except `yolov10` and `centernet`
        """,
      """
      The threshold of non-maximum suppression, 0 to 1: of two boxes of a class with a greater \
      intersection over union, the one with the lower score is removed.
      """
    ).example("0.5")
    suppression
    Field(
      "head", .choice(of: DetectionHeads.all.map { $0.name }),
      otherwise: "none: the outputs are decoded",
      "The family of a detector whose raw outputs are decoded: [below](#heads-of-detectors)."
    ).example("\"yolov8\"")
    Field(
      "activation", .choice(of: ScoreActivation.Function.allCases.map(\.rawValue)),
      otherwise: "`\"none\"`; `\"sigmoid\"` for `ssd` and `centernet`",
      """
      With a `head`, the conversion of scores to probabilities. `softmax` is for the heads `ssd` and \
      `prior-decoded`.
      """
    ).example("\"softmax\"")
    backgroundClass
    Field(
      "strides", .counts, otherwise: "`\(YOLOXHead.defaultStrides)` for `yolox`",
      """
      With the heads `yolox` and `ssd`, the sides of grid cells in pixels of the model's input, in the \
      order of the outputs.
      """
    ).example("[8, 16, 16, 16]")
    Field(
      "anchors", .nonemptyString, otherwise: "generated from `strides`",
      """
      With the head `ssd`, a file in `assets` with one anchor per line: center x, center y, width and \
      height as fractions of the input, separated by commas or spaces.
      """
    ).example("\"anchors.txt\"")
    anchorsPerCell
    Field(
      "scales", .positiveNumbers,
      otherwise: "the size of the input; `\(SSDHead.defaultScales.map { Int($0) })` with `anchors`",
      "With the head `ssd`, the divisors of x, y, width and height."
    ).example("[10, 10, 5, 5]")
    Field(
      "exponential_size", .boolean, otherwise: "`true` with `anchors`, else `false`",
      "With the head `ssd`, whether width and height are logarithms, relative to the anchor.")
    layout
    coordinates
    boxOrder
    Field(
      "label", .nonemptyString, otherwise: "`\"0\"`",
      "The label of detections of a model without classes."
    ).example("\"face\"")
    Field.keypoints.otherwise("their indices")
  }

  static let minimumScore = TaskSetting.number(
    "threshold", default: DetectionOptions.defaultMinimumScore, "The minimum score of a result."
  ).example("0.5")
  static let suppression = TaskSetting.choice(
    "suppression", default: DetectionOptions.Suppression.perClass,
    """
    The boxes that a box with a higher score removes: those of its class, or those of any class. With \
    `weighted`, the mean of all boxes of its class that it removes and itself, weighted by score, \
    replaces the box and its keypoints.
    """
  ).example("\"weighted\"")
  static let backgroundClass = TaskSetting.choice(
    "background_class", default: ScoreActivation.BackgroundClass.none,
    "With the heads `ssd` and `prior-decoded`, the class that is no object."
  ).example("\"first\"")
  static let anchorsPerCell = TaskSetting.count(
    "anchors_per_cell", default: 2,
    "With the head `ssd`, the number of generated anchors per stride and cell."
  ).example("1")
  static let layout = TaskSetting.choice(
    "layout", default: ImageLayout.channelsLast,
    """
    With the head `centernet`, the order of the axes of scores: rows, columns, classes, or classes, \
    rows, columns.
    """
  ).example("\"NCHW\"")
  static let coordinates = TaskSetting.choice(
    "coordinates", default: DetectionOptions.Coordinates.normalized,
    "Whether boxes are relative to the size of the model's input image, or in pixels."
  ).example("\"pixels\"")
  static let boxOrder = TaskSetting.choice(
    "box_order", default: DetectionOptions.BoxOrder.yxyx,
    """
    The order of a box's numbers: top, left, bottom, right; left, top, right, bottom; or center, width, \
    height. Keypoints are y before x for `yxyx`, else x before y.
    """
  ).example("\"cxcywh\"")
}
