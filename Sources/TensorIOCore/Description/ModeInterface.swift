/// What a model takes and gives in one mode, where that differs from what `model.json` says for the
/// whole model.
public struct ModeInterface: Sendable, Hashable {
  /// The file or folder with the weights and the graph of this mode.
  public var modelFile: String?
  /// What goes in, in order.
  public var inputs: [Layer]?
  /// What comes out, in order.
  public var outputs: [Layer]?
  /// Values besides the inputs, such as a learning rate.
  public var placeholders: [Layer]?

  /// Nothing of its own.
  public init() {}
}

extension ModelDescription {
  /// The description of the model in one mode.
  public func inMode(_ mode: ModelMode) -> ModelDescription {
    guard let own = interfaces[mode] else { return self }
    var description = self
    description.modelFile = own.modelFile ?? modelFile
    description.inputs = own.inputs ?? inputs
    description.outputs = own.outputs ?? outputs
    description.placeholders = own.placeholders ?? placeholders
    return description
  }

  /// The mode in which the model is run when nobody says: predictions, where it is for them.
  public var firstMode: ModelMode {
    [.predict, .evaluate, .train].first(where: modes.contains) ?? .predict
  }
}
