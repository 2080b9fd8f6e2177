package import TensorIOBundle
public import TensorIOCore

/// The format of a detector's outputs and the detections to return.
public struct DetectionOptions: Sendable, Hashable {
  /// The unit of coordinates.
  public enum Coordinates: String, Sendable, Hashable, CaseIterable {
    /// Fractions of the model's input size, from 0 to 1.
    case normalized
    /// Pixels of the model's input.
    case pixels
  }

  /// The order of the four numbers of a box.
  public enum BoxOrder: String, Sendable, Hashable, CaseIterable {
    /// Top, left, bottom, right.
    case yxyx
    /// Left, top, right, bottom.
    case xyxy
    /// Center x, center y, width, height.
    case cxcywh
  }

  /// Which detections suppress others that overlap them.
  public enum Suppression: String, Sendable, Hashable, CaseIterable {
    /// Those of the same class.
    case perClass = "per-class"
    /// Those of any class.
    case classAgnostic = "class-agnostic"
    /// Those of the same class; the box and keypoints of the kept detection become the mean of all,
    /// weighted by score.
    case weighted
  }

  /// The minimum score.
  public var minimumScore: Float
  /// The maximum number of detections; `nil` for no limit.
  public var top: Int?
  /// The maximum intersection over union with a detection of a higher score that suppresses it;
  /// `nil` to keep all.
  public var iouThreshold: Double?
  /// Which detections suppress others.
  public var suppression: Suppression
  /// The labels to return.
  public var filter: LabelFilter
  /// The unit of coordinates.
  public var coordinates: Coordinates
  /// The order of the four numbers of a box.
  public var boxOrder: BoxOrder
  /// The label of all detections, for models without a classes output.
  public var label: String?
  /// The names of the keypoints of a detection.
  public var keypoints: [String]

  /// The default minimum score.
  public static let defaultMinimumScore: Float = 0.25
  /// The default maximum number of detections of a raw head.
  static let defaultHeadTop = 300

  /// Creates options with default settings.
  public init() { self.init(nil) }

  /// Creates options from the settings of a bundle's task, with defaults for missing settings.
  package init(_ task: TaskDescription?) {
    let task = task ?? TaskDescription(type: "detection")
    minimumScore = DetectionTask.minimumScore.value(in: task)
    let defaults = DetectionHeads.head(of: task)?.defaults
    top = task.int("top") ?? (defaults == nil ? nil : Self.defaultHeadTop)
    iouThreshold = task.float("iou").map(Double.init) ?? defaults?.iouThreshold
    suppression = DetectionTask.suppression.value(in: task)
    filter = task.labelFilter
    coordinates = DetectionTask.coordinates.value(in: task, otherwise: defaults?.coordinates)
    boxOrder = DetectionTask.boxOrder.value(in: task, otherwise: defaults?.boxOrder)
    label = task.string("label")
    keypoints = task.strings("keypoints") ?? []
  }
}
