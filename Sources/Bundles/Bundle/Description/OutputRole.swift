/// The role of an output in a task: what its values are.
///
/// A task of an application may use these or have roles of its own:
///
/// ```swift
/// import TensorIO
///
/// extension OutputRole {
///   static let characters = OutputRole("characters")
/// }
/// ```
public struct OutputRole: Sendable, Hashable {
  /// The name in `model.json`.
  public let name: String

  /// Creates a role.
  ///
  /// - Parameter name: The name in `model.json`, in snake case.
  public init(_ name: String) { self.name = name }
}

extension OutputRole {
  /// Bounding boxes, four numbers each.
  public static let boxes = OutputRole("boxes")
  /// Class indices.
  public static let classes = OutputRole("classes")
  /// Confidence scores, per label or per detection.
  public static let scores = OutputRole("scores")
  /// The number of valid rows in the other outputs.
  public static let count = OutputRole("count")
  /// The likelihood of an object at each location of an image.
  public static let heatmap = OutputRole("heatmap")
  /// Keypoints.
  public static let keypoints = OutputRole("keypoints")
  /// The scores of keypoints.
  public static let keypointScores = OutputRole("keypoint_scores")
  /// The distances from each location to the keypoints near it.
  public static let offsets = OutputRole("offsets")
  /// The distances from each location to adjacent keypoints.
  public static let displacements = OutputRole("displacements")
  /// The distances from each location to adjacent keypoints in the opposite direction.
  public static let backwardDisplacements = OutputRole("backward_displacements")
  /// The distances from each cell to the keypoints of the person in the cell.
  public static let longOffsets = OutputRole("long_offsets")
  /// A feature vector; similar inputs have nearby vectors.
  public static let embedding = OutputRole("embedding")
  /// The class or object of each pixel of an image.
  public static let mask = OutputRole("mask")
  /// A number for each pixel of an image, such as its depth.
  public static let map = OutputRole("map")
  /// An image.
  public static let image = OutputRole("image")
  /// The masks whose weighted sums are the masks of objects.
  public static let prototypes = OutputRole("prototypes")
  /// The score of each label for each token of a text.
  public static let tokenScores = OutputRole("token_scores")
  /// The score of each token of the vocabulary as the next one of a text.
  public static let nextTokenScores = OutputRole("next_token_scores")
  /// The score of each character for each column of an image of a line of text.
  public static let characterScores = OutputRole("character_scores")
  /// Texts.
  public static let texts = OutputRole("texts")
  /// The score of each token as the first one of an answer.
  public static let startScores = OutputRole("start_scores")
  /// The score of each token as the last one of an answer.
  public static let endScores = OutputRole("end_scores")

  /// The roles that every reader knows, in addition to those of tasks.
  package static let standard: [OutputRole] = [
    boxes, classes, scores, count, heatmap, keypoints, keypointScores, offsets, displacements,
    backwardDisplacements, longOffsets, embedding, mask, map, image, prototypes, tokenScores,
    startScores, endScores, nextTokenScores, characterScores, texts,
  ]
}

extension OutputRole: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

extension Layer {
  /// Whether labels apply to the indices of the layer's values, and not to the values themselves as
  /// for class indices.
  package var isLabeledByIndex: Bool { role == nil || role == .scores }
}

extension [OutputRole] {
  /// Returns the roles with those of another list that are not among them.
  func merging(_ others: [OutputRole]) -> [OutputRole] { self + others.filter { !contains($0) } }
}
