import Synchronization
public import TensorIOBundle
public import TensorIOCore

/// A `.tflite` model loaded by LiteRT, shared by its sessions.
///
/// Inputs and outputs are listed in the order of the subgraph, which is the order of `model.json`.
/// Sessions reorder them where the signature that LiteRT runs lists them differently.
public final class LiteRTModel: RuntimeModel {
  /// The signature that sessions run.
  public let signature: ModelSignature
  /// All signatures of the model.
  public let signatures: [ModelSignature]
  /// Reports a model that is opened for training but has nothing to train.
  public let warnings: [Diagnostic]
  /// The contents of the file's TFLite metadata table, or `nil` if it has none.
  package let metadataBytes: [UInt8]?

  private let graph: LiteRTGraph
  private let entryPoint: EntryPoint
  /// The entry points of all signatures.
  private let entryPoints: [EntryPoint]
  /// The session created to determine the outputs' shapes, reused for the first caller.
  private let idleSession: Mutex<LiteRTSession?>
  /// How the model is run step by step, and with how many threads; `nil` if it has no caches.
  private let steps: (LiteRTSteps, threads: Int)?
  /// The model that sequences share, compiled for the first one.
  private let stepModel = LazyResource<LiteRTStepModel>()

  init(
    _ bytes: ModelBytes, for use: ModelBinding? = nil, in environment: LiteRTEnvironment,
    operators: [String: any CustomOperator.Type] = BuiltInCustomOperators.byName
  ) throws(ModelError) {
    graph = try LiteRTGraph(bytes, in: environment, operators: operators)
    let entryPoints = try graph.entryPoints()
    steps =
      if let use, !use.caches.isEmpty { (try LiteRTSteps(entryPoints, use), use.threads) } else {
        nil
      }
    let decode = steps?.0.signatures.first?.entryPoint
    if let decode, let name = use?.signature, name != decode.name {
      throw ModelError(.bundle, .unsupported("the signature '\(name)' of a model with caches"))
    }
    let first = try EntryPoint.main(of: entryPoints, for: use)
    guard let main = decode ?? first else {
      throw ModelError(.runtime, .modelRejected(detail: "the model has no signature"))
    }
    try graph.requireAvailableOperators(of: main, operators)
    try graph.requireResettableState(of: main)
    entryPoint = main
    self.entryPoints = entryPoints
    warnings = use?.mode == .train ? [.withoutVariables] : []
    metadataBytes = graph.metadata(named: Self.metadataName)
    if let steps {
      for signature in steps.0.signatures {
        try graph.requireAvailableOperators(of: signature.entryPoint, operators)
      }
      signature = steps.0.signature
      signatures = entryPoints.map(\.signature)
      idleSession = Mutex(nil)
      return
    }
    // Whether a GPU can run the model, and whether LiteRT can return outputs of shapes that the graph
    // computes, is known only when it is compiled.
    let isSpecialized = entryPoint.isSpecialized && entryPoint.hasFixedShapes
    guard entryPoint.hasDeclaredOutputShapes, !isSpecialized, !environment.usesGPU else {
      let session = try graph.makeSession(entryPoint, SessionOptions())
      signature = try entryPoint.signature(withOutputShapes: session.outputShapes())
      signatures = entryPoints.map { [signature, entryPoint] in
        $0.signatureIndex == entryPoint.signatureIndex ? signature : $0.signature
      }
      idleSession = Mutex(session)
      return
    }
    signature = entryPoint.signature
    signatures = entryPoints.map(\.signature)
    idleSession = Mutex(nil)
  }

  /// Compiles the model for one caller at a time.
  ///
  /// - Throws: `ModelError` if the model has operators or tensors that LiteRT does not support.
  public func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    try makeLiteRTSession(options)
  }

  func makeLiteRTSession(_ options: SessionOptions) throws(ModelError) -> LiteRTSession {
    if options == SessionOptions(), let session = takeIdleSession() { return session }
    return try graph.makeSession(entryPoint, options)
  }

  /// Compiles the model for sessions of several signatures.
  func compile(_ options: SessionOptions) throws(ModelError) -> CompiledGraph {
    try graph.addingHints { () throws(ModelError) in try CompiledGraph(graph, options) }
  }

  /// Returns a session of a compiled model.
  ///
  /// - Parameters:
  ///   - compiled: The model, which is used for one session at a time.
  ///   - name: The name of a signature; `nil` for that of ``signature``.
  ///   - options: The options with which the model was compiled.
  /// - Returns: A session that shares the model's variables with the others, unless its signature has to
  ///   be compiled for each shape.
  /// - Throws: `ModelError` if the tensors cannot be allocated.
  func makeSession(
    of compiled: CompiledGraph, signature name: String?, _ options: SessionOptions
  ) throws(ModelError) -> LiteRTSession {
    let named = name.flatMap { name in entryPoints.first { $0.name == name } } ?? entryPoint
    return try graph.addingHints { () throws(ModelError) in
      named.isSpecialized
        ? try LiteRTSession(graph, named, options)
        : try LiteRTSession(sharing: compiled, named, options, allocating: named.hasFixedShapes)
    }
  }

  private func takeIdleSession() -> LiteRTSession? {
    idleSession.withLock { session in
      defer { session = nil }
      return session
    }
  }

  /// The name of the metadata table in a `.tflite` file.
  static let metadataName = "TFLITE_METADATA"
}

extension LiteRTModel {
  /// Returns metadata of tensors in the order of the binding in that of the main subgraph; tensors
  /// that have none get empty ones.
  func metadataInGraphOrder(_ metadata: ModelMetadata) throws(ModelError) -> ModelMetadata {
    guard entryPoint.isMainSubgraph, let tensors = graph.mainSubgraphTensors else {
      throw ModelError(
        .runtime, .unsupported("metadata of another signature than that of the main subgraph"))
    }
    func arranged(
      _ values: [ModelMetadata.TensorMetadata], _ bindings: [EntryPoint.TensorBinding],
      _ tensors: [Int]
    ) -> [ModelMetadata.TensorMetadata] {
      tensors.map { tensor in
        let index = bindings.firstIndex { Int($0.tensorIndex) == tensor }
        return index.flatMap { values.indices.contains($0) ? values[$0] : nil }
          ?? ModelMetadata.TensorMetadata()
      }
    }
    var result = metadata
    result.inputs = arranged(metadata.inputs, entryPoint.inputs, tensors.inputs)
    result.outputs = arranged(metadata.outputs, entryPoint.outputs, tensors.outputs)
    return result
  }
}

extension LiteRTModel {
  /// Returns the subgraph that sessions run, and the tensor of an output in it.
  func fileTensor(ofOutput index: Int) throws(ModelError) -> (subgraph: Int, tensor: Int) {
    guard entryPoint.outputs.indices.contains(index) else {
      throw ModelError(.runtime, .unmetRequirement("the model has no output \(index)"))
    }
    return (entryPoint.subgraphIndex, Int(entryPoint.outputs[index].tensorIndex))
  }
}

extension LiteRTModel {
  /// The reading of the function that the model applies to an input first, and steps of a model with caches.
  public var abilities: ModelAbilities {
    var abilities = ModelAbilities()
    abilities.rescaling = { self.rescaling(ofInput: $0) }
    if steps != nil { abilities.steps = self }
    return abilities
  }

  private func rescaling(ofInput index: Int) -> InputRescaling? {
    guard entryPoint.inputs.indices.contains(index) else { return nil }
    return graph.operators(of: entryPoint)?.rescaling(
      of: Int(entryPoint.inputs[index].tensorIndex))
  }
}

extension LiteRTModel: SteppableRuntimeModel {
  /// Creates a sequence of steps; the first one compiles the model.
  package func makeStepSession() throws(ModelError) -> any StepSession {
    guard let (steps, threads) = steps else {
      throw ModelError(.runtime, .unsupported("steps of a model without caches"))
    }
    return try LiteRTStepSession(
      stepModel.getOrOpen { () throws(ModelError) in
        try graph.addingHints { () throws(ModelError) in
          try LiteRTStepModel(graph, steps, threads: threads)
        }
      })
  }
}

extension Diagnostic {
  /// The warning about a model that cannot be trained.
  fileprivate static let withoutVariables = Diagnostic(
    .warning, .trainOnTFLite, path: "/model/modes", expected: "a model with variables",
    message: "the model has no variables, so that it cannot be trained",
    suggestion: "remove the mode 'train'; the model can be used for predictions")
}

extension LiteRTGraph {
  /// Throws an error if an entry point has state that cannot be reset.
  ///
  /// LiteRT resets state only when the shape of an input changes, and scalars have no other shape.
  func requireResettableState(of entryPoint: EntryPoint) throws(ModelError) {
    guard hasState, entryPoint.inputs.allSatisfy({ $0.info.shape.dimensions.isEmpty }) else {
      return
    }
    let detail =
      "the model keeps values from run to run, but its inputs are scalars, with which LiteRT cannot "
      + "reset them; convert it with an input of the shape [1]"
    throw ModelError(.runtime, .modelRejected(detail: detail))
  }

  /// Throws an error if an entry point uses custom operators that neither LiteRT nor the library
  /// has.
  ///
  /// LiteRT loads such a model and reports an error at the first run.
  func requireAvailableOperators(
    of entryPoint: EntryPoint, _ operators: [String: any CustomOperator.Type]
  ) throws(ModelError) {
    let unavailable = customOperatorNames.subtracting(operators.keys)
      .subtracting(BuiltInCustomOperators.runtimeOperators)
    guard !unavailable.isEmpty else { return }
    let used = self.operators(of: entryPoint)?.customOperators.filter(unavailable.contains) ?? []
    guard let hint = OperatorUsage.unavailableOperatorsHint(used) else { return }
    throw ModelError(.runtime, .modelRejected(detail: hint))
  }

  /// Creates a session.
  fileprivate func makeSession(
    _ entryPoint: EntryPoint, _ options: SessionOptions
  ) throws(ModelError) -> LiteRTSession {
    try addingHints { () throws(ModelError) in try LiteRTSession(self, entryPoint, options) }
  }

  /// Runs a closure and adds a hint about the model's operators to an error of the runtime.
  fileprivate func addingHints<Result>(
    _ body: () throws(ModelError) -> Result
  ) throws(ModelError) -> Result {
    do throws(ModelError) {
      return try body()
    } catch {
      guard case ModelError.modelRejected = error, let detail = error.text("detail"),
        !environment.usesGPU, let hint = operatorUsage?.compatibilityHint
      else { throw error }
      throw ModelError(error.stage, .modelRejected(detail: "\(detail); \(hint)"))
    }
  }
}
