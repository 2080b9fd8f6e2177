import TensorIOBundle

/// A model in the form that LiteRT needs for custom operators in Swift.
struct PreparedModel {
  private(set) var model: ParsedModel
  /// The bytes of the model; `nil` if they are the original ones.
  private(set) var bytes: ModelBytes?
  /// The original names of renamed operator codes, by their index.
  private(set) var originalNames: [Int: String] = [:]

  /// Prepares a validated model for operators of the given names.
  init(_ model: ParsedModel, operators: Set<String>) throws(ModelError) {
    self.model = model
    guard model.operatorCodes.contains(where: { operators.contains($0.customName) }) else { return }
    if let constants = try AlignedConstants(model, operators: operators) {
      try replaceBytes(constants.bytes)
    }
    if let separation = try CustomNodeSeparation(self.model, operators: operators) {
      try replaceBytes(separation.bytes)
      originalNames = separation.originalNames
    }
  }

  private mutating func replaceBytes(_ bytes: [UInt8]) throws(ModelError) {
    let copy = try ModelBytes(bytes)
    model = try TFLiteValidator.validatedModel(copy)
    self.bytes = copy
  }
}
