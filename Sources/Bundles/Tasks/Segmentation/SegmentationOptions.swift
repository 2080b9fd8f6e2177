package import TensorIOBundle

/// How the class of each pixel is computed from a model's output.
public struct SegmentationOptions: Sendable, Hashable {
  /// The function that turns scores into probabilities.
  public enum Activation: String, Sendable, Hashable, CaseIterable {
    /// The scores are used as they are.
    case none
    /// Each class has a probability of its own.
    case sigmoid
    /// The probabilities of all classes add up to 1.
    case softmax
  }

  /// The size of the result.
  public var size: ImageOutputOptions.Size
  /// The function that turns scores into probabilities.
  public var activation: Activation
  /// The minimum probability of the object, for a model with a single class.
  public var minimumScore: Float
  /// The labels that are not drawn and not listed.
  public var background: [String]
  /// Whether the result has the probability of each pixel's class.
  public var includesConfidences = false
  /// The order of the axes of the scores.
  var layout: ImageLayout

  /// The default minimum probability of the object.
  public static let defaultMinimumScore: Float = 0.5
  /// The labels that are not drawn by default.
  public static let defaultBackground = ["background", "__background__", "unlabeled"]

  /// Creates options from the settings of a bundle's task, with defaults for missing settings.
  package init(_ task: TaskDescription?) {
    size = SegmentationTask.size.value(in: task)
    activation = SegmentationTask.activation.value(in: task)
    minimumScore = SegmentationTask.minimumScore.value(in: task)
    background = SegmentationTask.background.value(in: task)
    layout = SegmentationTask.layout.value(in: task)
  }
}
