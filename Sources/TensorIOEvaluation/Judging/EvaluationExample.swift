internal import TensorIOCore
internal import TensorIOData

/// An item of the data: what goes into the model, and what should come out.
struct EvaluationExample: Sendable {
  /// What is known to be right.
  enum Truth: Sendable {
    /// Values of layers, by name.
    case values([String: LayerValue])
    /// Boxes, in pixels of the upright picture.
    case boxes([AnnotatedBox])
    /// The class of every pixel.
    case mask(ClassMask)
    /// The labels that outputs are expected to give.
    case labels([String: [String]])
  }

  let place: ItemPlace
  /// The values of the model's inputs, by name; a picture whose input is not named has none.
  let input: ModelInput
  let truth: Truth
}
