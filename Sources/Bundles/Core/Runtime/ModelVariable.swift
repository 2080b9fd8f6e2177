public import TensorIOBundle

/// A variable of a model, which holds weights or the state of an optimizer.
public struct ModelVariable: Sendable, Hashable {
  /// The name, which is unique in the model.
  public let name: String
  /// The type of the elements.
  public let elementType: ElementType
  /// The dimensions; empty for a single element.
  public let shape: [Int]
  /// Whether the variable holds weights that a training step optimizes, and not the state of an optimizer.
  public let isTrainable: Bool

  /// Creates the description of a variable.
  public init(name: String, elementType: ElementType, shape: [Int], isTrainable: Bool) {
    self.name = name
    self.elementType = elementType
    self.shape = shape
    self.isTrainable = isTrainable
  }
}
