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
  public let warnings: [Problem]

  let weights: LoadedWeights
  private let use: BoundUse

  /// Reviews and loads the graph that is for a use.
  convenience init(
    _ file: ModelFile, _ savedModel: SavedModelFile, for use: ModelUse,
    _ caution: GraphCaution, in library: TensorFlowLibrary
  ) throws(ModelError) {
    try self.init(
      LoadedWeights(file, savedModel, for: use, caution, in: library), for: use)
  }

  private init(_ weights: LoadedWeights, for use: ModelUse) throws(ModelError) {
    let names = NamedGraph(
      graph: weights.graph, signatures: weights.facts.signatures(for: use.mode))
    let bound = try BoundUse(use, in: names)
    try weights.requireHarmless(bound)
    self.weights = weights
    self.use = bound
    signature = bound.signature(named: use.mode.tag)
    signatures = weights.facts.signatures.map(weights.graph.signature)
    warnings = bound.warnings
  }

  /// Prepares the model to be run, by one caller at a time.
  public func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    TensorFlowSession(weights.graph, use)
  }
}

extension TensorFlowModel {
  /// The same weights in memory, for another use; `nil` where that use has a graph of its own.
  public func shared(for use: ModelUse) throws(ModelError) -> (any RuntimeModel)? {
    guard weights.modes.contains(use.mode) else { return nil }
    do throws(ModelError) {
      return try TensorFlowModel(weights, for: use)
    } catch {
      throw error.in(file: weights.folder.path)
    }
  }

  /// Prepares the model to be trained, by one caller at a time.
  public func makeTrainingSession(
    _ options: SessionOptions
  ) throws(ModelError) -> any TrainingSession {
    guard !use.operations.isEmpty else {
      throw ModelError(.runtime, .unsupported("training without operations to run"))
    }
    return TensorFlowSession(weights.graph, use)
  }

  /// Writes the weights into files whose names begin with a path.
  public func saveWeights(to prefix: String) throws(ModelError) {
    try weights.save(to: prefix)
  }

  /// Takes the weights from files whose names begin with a path.
  public func restoreWeights(from prefix: String) throws(ModelError) {
    try weights.restore(from: prefix)
  }

  /// Writes a SavedModel of the same graphs with the weights that it has now.
  public func save(to path: String) throws(ModelError) {
    try weights.saveModel(to: path)
  }
}

extension LoadedGraph {
  /// A signature with what the graph says of its tensors.
  fileprivate func signature(_ signature: MetaGraph.Signature) -> ModelSignature {
    ModelSignature(
      name: signature.name, inputs: signature.inputs.compactMap(info),
      outputs: signature.outputs.compactMap(info))
  }

  /// Entries of types without support are left out.
  private func info(_ entry: MetaGraph.Entry) -> TensorInfo? {
    guard let place = tensor(named: entry.tensor), let type = elementType(of: place).type else {
      return nil
    }
    let shape = (try? shape(of: place)) ?? nil
    return TensorInfo(name: name(of: place), elementType: type, shape: shape ?? [], key: entry.key)
  }
}
