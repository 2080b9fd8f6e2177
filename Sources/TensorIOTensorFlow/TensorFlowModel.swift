public import TensorIOBundle
public import TensorIOCore

/// A SavedModel loaded by TensorFlow: a graph and its variables, shared by all its sessions.
///
/// What a session changes in the variables, all others see at once.
public final class TensorFlowModel: TrainableRuntimeModel {
  /// The tensors that the description's layers name, in its order.
  public let signature: ModelSignature
  /// All entry points that the graph lists.
  public let signatures: [ModelSignature]
  /// What the description says otherwise than the graph, and is tolerated.
  public let warnings: [Diagnostic]

  let savedModel: LoadedSavedModel
  private let binding: ResolvedBinding

  /// Reviews and loads the graph that is for a use.
  convenience init(
    _ file: ModelFile, _ savedModel: SavedModelFile, for use: ModelBinding,
    _ caution: GraphReviewPolicy, in library: TensorFlowLibrary
  ) throws(ModelError) {
    try self.init(
      LoadedSavedModel(file, savedModel, for: use, caution, in: library), for: use)
  }

  private init(_ weights: LoadedSavedModel, for use: ModelBinding) throws(ModelError) {
    let names = TensorNameResolver(
      graph: weights.graph, signatures: weights.metaGraph.signatures(for: use.mode))
    let bound = try ResolvedBinding(use, in: names)
    try weights.requireSafe(bound)
    self.savedModel = weights
    self.binding = bound
    signature = bound.signature(named: use.mode.tag)
    signatures = weights.metaGraph.signatures.map(weights.graph.signature)
    warnings = bound.warnings
  }

  /// Prepares the model to be run, by one caller at a time.
  public func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    TensorFlowSession(savedModel.graph, binding)
  }
}

extension TensorFlowModel {
  /// The same weights in memory, for another use; `nil` where that use has a graph of its own.
  public func sharingWeights(for use: ModelBinding) throws(ModelError) -> (any RuntimeModel)? {
    guard savedModel.modes.contains(use.mode) else { return nil }
    do throws(ModelError) {
      return try TensorFlowModel(savedModel, for: use)
    } catch {
      throw error.in(file: savedModel.folder.path)
    }
  }

  /// Prepares the model to be trained, by one caller at a time.
  public func makeTrainingSession(
    _ options: SessionOptions
  ) throws(ModelError) -> any TrainingSession {
    guard !binding.trainingOperations.isEmpty else {
      throw ModelError(.runtime, .unsupported("training without operations to run"))
    }
    return TensorFlowSession(savedModel.graph, binding)
  }

  /// Writes the weights into files whose names begin with a path.
  public func saveWeights(to prefix: String) throws(ModelError) {
    try savedModel.save(to: prefix)
  }

  /// Takes the weights from files whose names begin with a path.
  public func restoreWeights(from prefix: String) throws(ModelError) {
    try savedModel.restore(from: prefix)
  }

  /// Writes a SavedModel of the same graphs with the weights that it has now.
  public func save(to path: String) throws(ModelError) {
    try savedModel.saveModel(to: path)
  }
}

extension TensorFlowGraph {
  /// A signature with what the graph says of its tensors.
  fileprivate func signature(_ signature: MetaGraph.Signature) -> ModelSignature {
    ModelSignature(
      name: signature.name, inputs: signature.inputs.compactMap(info),
      outputs: signature.outputs.compactMap(info))
  }

  /// Entries of types without support are left out.
  private func info(_ entry: MetaGraph.SignatureTensor) -> TensorInfo? {
    guard let place = output(named: entry.tensorName), let type = elementType(of: place).type else {
      return nil
    }
    let shape = (try? shape(of: place)) ?? nil
    return TensorInfo(name: name(of: place), elementType: type, shape: shape ?? [], signatureKey: entry.key)
  }
}
