package import TensorIOBundle
package import TensorIOCore

/// A SavedModel loaded by TensorFlow: a graph and its variables, shared by its sessions.
///
/// Changes to variables are immediately visible to all sessions.
package final class TensorFlowModel: TrainableRuntimeModel {
  /// The tensors that the description's layers name, in the order of the description.
  package let signature: ModelSignature
  /// All signatures of the graph.
  package let signatures: [ModelSignature]
  /// The tolerated differences between the description and the graph.
  package let warnings: [Diagnostic]

  let savedModel: LoadedSavedModel
  private let binding: ResolvedBinding
  /// How the outputs are computed without a training step.
  private let evaluation: ResolvedBinding.Evaluation

  /// Reviews and loads the graph for a binding.
  convenience init(
    _ file: ModelFile, _ savedModel: SavedModelFile, for binding: ModelBinding,
    _ reviewPolicy: GraphReviewPolicy, in library: TensorFlowLibrary
  ) throws(ModelError) {
    try self.init(
      LoadedSavedModel(file, savedModel, for: binding, reviewPolicy, in: library), for: binding)
  }

  private init(_ savedModel: LoadedSavedModel, for binding: ModelBinding) throws(ModelError) {
    let names = TensorNameResolver(
      graph: savedModel.graph, signatures: try savedModel.metaGraph.signatures(for: binding))
    let resolved = try ResolvedBinding(binding, in: names)
    try savedModel.requireSafe(resolved)
    self.savedModel = savedModel
    self.binding = resolved
    evaluation =
      binding.operations.isEmpty ? .outputs : savedModel.evaluation(of: resolved)
    if case .signature(_, let outputs) = evaluation { try savedModel.requireSafe(outputs) }
    signature = resolved.signature(named: binding.mode.tag)
    signatures = savedModel.metaGraph.signatures.map(savedModel.graph.signature)
    warnings = resolved.warnings
  }

  /// Training, and the reading of the function that the graph applies to an input first.
  package var abilities: ModelAbilities {
    var abilities = ModelAbilities()
    abilities.training = self
    abilities.rescaling = { self.rescaling(ofInput: $0) }
    return abilities
  }

  /// Creates a session for one caller at a time.
  package func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    TensorFlowSession(savedModel.graph, binding, evaluation)
  }
}

extension TensorFlowModel {
  /// Returns a model with the same weights in memory for another binding, or `nil` if the binding's
  /// mode has a separate graph.
  package func sharingWeights(for use: ModelBinding) throws(ModelError) -> (any RuntimeModel)? {
    guard savedModel.modes.contains(use.mode) else { return nil }
    do throws(ModelError) {
      return try TensorFlowModel(savedModel, for: use)
    } catch {
      throw error.in(file: savedModel.folder.path)
    }
  }

  /// Returns the variables, sorted by name.
  package func variables() throws(ModelError) -> [ModelVariable] {
    try savedModel.variables().variables
  }

  /// Returns the values of variables.
  package func values(ofVariables names: [String]) throws(ModelError) -> [Tensor] {
    try savedModel.variables().values(of: names)
  }

  /// Assigns values to variables.
  package func assign(_ values: [String: Tensor]) throws(ModelError) {
    try savedModel.variables().assign(values)
  }

  /// Writes the weights to files whose paths begin with `prefix`.
  package func saveWeights(to prefix: String) throws(ModelError) {
    try savedModel.save(to: prefix)
  }

  /// Reads the weights from files whose paths begin with `prefix`.
  package func restoreWeights(from prefix: String) throws(ModelError) {
    try savedModel.restore(from: prefix)
  }

  /// Writes a SavedModel with the same graphs and the current weights.
  package func save(to path: String) throws(ModelError) {
    try savedModel.saveModel(to: path)
  }
}

extension TensorFlowGraph {
  /// Returns a signature with the types and shapes of its tensors.
  fileprivate func signature(_ signature: MetaGraph.Signature) -> ModelSignature {
    ModelSignature(
      name: signature.name, inputs: signature.inputs.compactMap(info),
      outputs: signature.outputs.compactMap(info))
  }

  /// Returns the description of a signature's tensor, or `nil` if its type is not supported.
  private func info(_ entry: MetaGraph.SignatureTensor) -> TensorInfo? {
    guard let output = output(named: entry.tensorName), let type = elementType(of: output).type
    else { return nil }
    let shape = (try? shape(of: output)) ?? nil
    return TensorInfo(
      name: name(of: output), elementType: type, shape: shape ?? [], signatureKey: entry.key)
  }
}
