package import TensorIOBundle

/// The format of a pose model's outputs and the poses to return.
public struct PoseOptions: Sendable, Hashable {
  /// The format of the outputs.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// Rows of y, x and score, one per keypoint.
    case movenet
    /// A row per pose: y, x and score of each keypoint, the top, left, bottom and right edge, and the
    /// score of the pose.
    case movenetMulti = "movenet-multi"
    /// The likelihood of each keypoint for each cell of a grid, with the offsets of a PersonLab network
    /// if there are any.
    case heatmap
    /// Rows of y and x, one per keypoint of each pose, and the scores as separate outputs.
    case decoded
    /// Rows of x and y, and possibly a depth, one per point of a single object.
    case points
    /// Rows of x, y, a depth, and the logits of visibility and presence, one per point of a person, the
    /// last of which may have no names (BlazePose).
    case blazepose
    /// A column per pose: the center and size of the box, a score per class, and x, y and possibly a
    /// score of each keypoint. Poses whose boxes overlap are suppressed (YOLO v8 and v11).
    case yolov8
    /// A row per pose: the edges of the box, the score, the class, and x, y and possibly a score of each
    /// keypoint, without duplicates (YOLO v26).
    case yolov10
  }

  /// The format of the outputs; `nil` to infer it from their roles and shapes.
  public var format: Format?
  /// The minimum score of a pose.
  public var minimumScore: Float
  /// The minimum score of the keypoints that are drawn and listed in texts.
  public var minimumKeypointScore: Float
  /// The maximum number of poses; `nil` for no limit.
  public var top: Int?
  /// The maximum intersection over union with the box of a pose of a higher score that suppresses a pose,
  /// for ``Format/yolov8``.
  public var iouThreshold: Double
  /// The unit of coordinates; `nil` for that of the format.
  public var coordinates: DetectionOptions.Coordinates?
  /// The names of the keypoints; `nil` for those of COCO if there are 17, otherwise the indices.
  public var keypoints: [String]?
  /// The lines between keypoints; `nil` for those of COCO if the keypoints have its names.
  public var limbs: [Pose.Limb]?

  /// The default minimum score of a pose.
  public static let defaultMinimumScore: Float = 0.25
  /// The default minimum score of the keypoints that are drawn.
  public static let defaultMinimumKeypointScore: Float = 0.2

  /// The default maximum intersection over union of boxes.
  public static let defaultIoUThreshold = 0.45

  /// Creates options from the settings of a bundle's task, with defaults for missing settings.
  package init(_ task: TaskDescription?) {
    format = task?.enumValue("format")
    minimumScore = PoseTask.minimumScore.value(in: task)
    minimumKeypointScore = PoseTask.minimumKeypointScore.value(in: task)
    top = task?.int("top")
    iouThreshold = PoseTask.iouThreshold.value(in: task)
    coordinates = task?.enumValue("coordinates")
    keypoints = task?.strings("keypoints")
    limbs = task?.stringLists("limbs")?.filter { $0.count == 2 }.map {
      Pose.Limb(from: $0[0], to: $0[1])
    }
  }

  /// Returns the names of a number of keypoints.
  package func names(_ count: Int) -> [String] {
    let names = keypoints ?? (count == COCOKeypoints.names.count ? COCOKeypoints.names : [])
    return (0..<count).map { $0 < names.count ? names[$0] : String($0) }
  }

  /// Returns the lines between keypoints with names.
  func limbs(between names: [String]) -> [Pose.Limb] {
    limbs ?? (names == COCOKeypoints.names ? COCOKeypoints.limbs : [])
  }
}
