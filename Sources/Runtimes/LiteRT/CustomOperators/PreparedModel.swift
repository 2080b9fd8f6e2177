import TensorIOBundle

/// A model in the form that LiteRT needs: for custom operators in Swift, and with constant shapes.
struct PreparedModel {
  private(set) var model: ParsedModel
  /// The bytes of the model; `nil` if they are the original ones.
  private(set) var bytes: ModelBytes?
  /// The original names of renamed operator codes, by their index.
  private(set) var originalNames: [Int: String] = [:]
  /// The first operator of each subgraph whose shape is known in the run only.
  private(set) var operatorsWithUnknownShapes: [String?] = []

  /// Prepares a validated model for operators of the given names.
  init(_ model: ParsedModel, operators: Set<String>) throws(ModelError) {
    self.model = model
    try separateCustomNodes(operators)
    try foldShapes()
  }

  /// Prepares a prepared model for some shapes of the inputs of a subgraph.
  init(_ model: ParsedModel, inputs: (subgraph: Int, shapes: [[Int]])) throws(ModelError) {
    self.model = model
    try foldShapes(inputs)
  }

  private mutating func foldShapes(
    _ inputs: (subgraph: Int, shapes: [[Int]])? = nil
  ) throws(ModelError) {
    let folded = try FoldedShapes(model, inputs: inputs)
    operatorsWithUnknownShapes = folded.unresolved
    if let new = folded.newBytes { try replaceBytes(ModelBytes(new, followedBy: model.bytes)) }
  }

  private mutating func separateCustomNodes(_ operators: Set<String>) throws(ModelError) {
    guard model.operatorCodes.contains(where: { operators.contains($0.customName) }) else { return }
    if let constants = try AlignedConstants(model, operators: operators) {
      try replaceBytes(ModelBytes(constants.bytes))
    }
    if let separation = try CustomNodeSeparation(self.model, operators: operators) {
      try replaceBytes(ModelBytes(separation.bytes))
      originalNames = separation.originalNames
    }
  }

  private mutating func replaceBytes(_ copy: ModelBytes) throws(ModelError) {
    model = try TFLiteValidator.validatedModel(copy)
    self.bytes = copy
  }
}
