public import TensorIOCore

/// Which detections are wanted of a model, and how its outputs are written.
public struct DetectionOptions: Sendable, Hashable {
  /// What the corners of boxes are counted in.
  public enum Coordinates: String, Sendable, Hashable, CaseIterable {
    /// Shares of the model's picture: 0 to 1.
    case normalized
    /// Pixels of the model's picture.
    case pixels
  }

  /// In which order four numbers are a box.
  public enum BoxOrder: String, Sendable, Hashable, CaseIterable {
    /// Top, left, bottom, right.
    case yxyx
    /// Left, top, right, bottom.
    case xyxy
    /// The centre's x and y, the width, the height.
    case cxcywh
  }

  /// The score that a detection has at least.
  public var threshold: Float
  /// How many there are at most; `nil` is as many as there are.
  public var top: Int?
  /// How much two boxes of one class may have in common before the less sure one is dropped;
  /// `nil` drops none.
  public var iou: Double?
  /// Which labels may be among them.
  public var filter: LabelFilter
  /// What the corners of boxes are counted in.
  public var coordinates: Coordinates
  /// In which order four numbers are a box.
  public var boxOrder: BoxOrder
  /// What is found by a model that tells no classes apart.
  public var label: String?
  /// The names of the points that come with every box.
  public var keypoints: [String]

  /// The score below which detections are noise, unless somebody says otherwise.
  public static let standardThreshold: Float = 0.25

  /// What a bundle's task says, and the usual for what it leaves out.
  public init(_ task: ModelTask? = nil) {
    let task = task ?? ModelTask(type: "detection")
    threshold = task.number("threshold") ?? Self.standardThreshold
    top = task.count("top")
    iou = task.number("iou").map(Double.init)
    filter = task.labelFilter
    coordinates = task.choice("coordinates") ?? .normalized
    boxOrder = task.choice("box_order") ?? .yxyx
    label = task.word("label")
    keypoints = task.words("keypoints") ?? []
  }
}
