public import TensorIOJSON

/// The task of a model, which determines the meaning of its outputs.
///
/// The settings are interpreted by the component that performs the task.
public struct ModelTask: Sendable, Hashable {
  /// The type of the task, such as `detection`.
  public var type: String
  /// The settings by key.
  public var settings: [String: JSONValue]

  /// Creates a task.
  public init(type: String, settings: [String: JSONValue] = [:]) {
    self.type = type
    self.settings = settings
  }
}

/// The role of an output in a task.
package enum OutputRole: String, Sendable, Hashable, CaseIterable {
  /// Bounding boxes, four numbers each.
  case boxes
  /// Class indices.
  case classes
  /// Confidence scores, per label or per detection.
  case scores
  /// The number of valid rows in the other outputs.
  case count
  /// The likelihood of an object at each location of an image.
  case heatmap
  /// Keypoints.
  case keypoints
  /// The scores of keypoints.
  case keypointScores = "keypoint_scores"
  /// The distances from each location to the keypoints near it.
  case offsets
  /// The distances from each location to adjacent keypoints.
  case displacements
  /// The distances from each location to adjacent keypoints in the opposite direction.
  case backwardDisplacements = "backward_displacements"
  /// The distances from each cell to the keypoints of the person in the cell.
  case longOffsets = "long_offsets"
  /// A feature vector; similar inputs have nearby vectors.
  case embedding
  /// The class or object of each pixel of an image.
  case mask
  /// A number for each pixel of an image, such as its depth.
  case map
  /// An image.
  case image
  /// The masks whose weighted sums are the masks of objects.
  case prototypes
  /// The score of each label for each token of a text.
  case tokenScores = "token_scores"
  /// The score of each token as the first one of an answer.
  case startScores = "start_scores"
  /// The score of each token as the last one of an answer.
  case endScores = "end_scores"
}

extension Layer {
  /// Whether labels apply to the indices of the layer's values, and not to the values themselves as
  /// for class indices.
  package var isLabeledByIndex: Bool { role == nil || role == .scores }
}
