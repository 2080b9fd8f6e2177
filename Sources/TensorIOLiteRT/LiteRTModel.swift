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
  /// The contents of the file's TFLite metadata table, or `nil` if it has none.
  package let metadataBytes: [UInt8]?

  /// Whether sessions keep the values of variable tensors from run to run.
  public var hasState: Bool { graph.hasState }

  private let graph: LiteRTGraph
  private let entryPoint: EntryPoint
  /// The session created to determine the outputs' shapes, reused for the first caller.
  private let idleSession: Mutex<LiteRTSession?>

  init(
    _ bytes: ModelBytes, for use: ModelBinding? = nil, in environment: LiteRTEnvironment
  ) throws(ModelError) {
    graph = try LiteRTGraph(bytes, in: environment)
    let entryPoints = try graph.entryPoints()
    guard let main = EntryPoint.main(of: entryPoints, for: use) else {
      throw ModelError(.runtime, .modelRejected(detail: "the model has no signature"))
    }
    try graph.requireBuiltinOperators(of: main)
    entryPoint = main
    metadataBytes = graph.metadata(named: Self.metadataName)
    guard entryPoint.hasDeclaredOutputShapes else {
      let session = try graph.makeSession(entryPoint, SessionOptions())
      signature = entryPoint.signature(withOutputShapes: session.outputShapes)
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

  private func takeIdleSession() -> LiteRTSession? {
    idleSession.withLock { session in
      defer { session = nil }
      return session
    }
  }

  /// The name of the metadata table in a `.tflite` file.
  private static let metadataName = "TFLITE_METADATA"
}

extension LiteRTModel: RescalingModel {
  /// Returns the function that the model applies to an input first, or `nil` if the graph cannot be
  /// read.
  package func rescaling(ofInput index: Int) -> InputRescaling? {
    guard entryPoint.inputs.indices.contains(index) else { return nil }
    return graph.operators(of: entryPoint)?.rescaling(
      of: Int(entryPoint.inputs[index].tensorIndex))
  }
}

extension LiteRTGraph {
  /// Throws an error if an entry point uses operators of TensorFlow, which LiteRT leaves out.
  ///
  /// LiteRT loads such a model and reports an error at the first run.
  fileprivate func requireBuiltinOperators(of entryPoint: EntryPoint) throws(ModelError) {
    guard let usage = operatorUsage, usage.hasTensorFlowOperators,
      let names = operators(of: entryPoint)?.tensorFlowOperators, !names.isEmpty
    else { return }
    throw ModelError(
      .runtime, .modelRejected(detail: OperatorUsage.tensorFlowOperatorsHint(names)))
  }

  /// Creates a session and adds a hint about the model's operators to an error of the runtime.
  fileprivate func makeSession(
    _ entryPoint: EntryPoint, _ options: SessionOptions
  ) throws(ModelError) -> LiteRTSession {
    do throws(ModelError) {
      return try LiteRTSession(self, entryPoint, options)
    } catch {
      guard case .modelRejected(let detail) = error.reason,
        let hint = operatorUsage?.compatibilityHint
      else { throw error }
      throw ModelError(error.stage, .modelRejected(detail: "\(detail); \(hint)"))
    }
  }
}
