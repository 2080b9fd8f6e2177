import Synchronization
public import TensorIOBundle
public import TensorIOCore

/// A `.tflite` model loaded by LiteRT: its bytes and its description, shared by all its sessions.
///
/// Inputs and outputs are listed in the order of the graph, which is the order of `model.json`.
/// A signature may list them otherwise; sessions put every tensor where the runtime wants it.
public final class LiteRTModel: RuntimeModel {
  /// The tensors of the entry point that sessions run.
  public let signature: ModelSignature
  /// All entry points of the model.
  public let signatures: [ModelSignature]
  /// The metadata table that the file carries, if it does.
  public let metadataBytes: [UInt8]?

  private let graph: LiteRTGraph
  private let entryPoint: EntryPoint
  /// A session that was made to learn the outputs' shapes, kept for whoever asks for one first.
  private let idleSession: Mutex<LiteRTSession?>

  init(_ bytes: ModelBytes, in environment: LiteRTEnvironment) throws(ModelError) {
    graph = try LiteRTGraph(bytes, in: environment)
    let entries = try graph.entryPoints()
    guard let main = entries.first(where: \.isMainSubgraph) ?? entries.first else {
      throw ModelError(.runtime, .modelRejected(detail: "it has no graph to run"))
    }
    entryPoint = main
    metadataBytes = graph.metadata(named: Self.metadataName)
    guard entryPoint.hasDeclaredOutputShapes else {
      let session = try graph.makeSession(entryPoint, SessionOptions())
      signature = entryPoint.signature(withOutputShapes: session.outputShapes)
      signatures = entries.map { [signature, entryPoint] in
        $0.signatureIndex == entryPoint.signatureIndex ? signature : $0.signature
      }
      idleSession = Mutex(session)
      return
    }
    signature = entryPoint.signature
    signatures = entries.map(\.signature)
    idleSession = Mutex(nil)
  }

  /// Prepares the model to be run, by one caller at a time.
  ///
  /// Operators that the runtime does not have, and tensors that it cannot hold, are found here.
  public func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    try makeLiteRTSession(options)
  }

  func makeLiteRTSession(_ options: SessionOptions) throws(ModelError) -> LiteRTSession {
    if options == SessionOptions(), let session = takeIdleSession() { return session }
    return try graph.makeSession(entryPoint, options)
  }

  private func takeIdleSession() -> LiteRTSession? {
    idleSession.withLock { spare in
      defer { spare = nil }
      return spare
    }
  }

  /// The name under which a `.tflite` file carries a description of itself.
  private static let metadataName = "TFLITE_METADATA"
}

extension LiteRTGraph {
  /// A session, or the runtime's refusal with the operators that it may be about.
  fileprivate func makeSession(
    _ entry: EntryPoint, _ options: SessionOptions
  ) throws(ModelError) -> LiteRTSession {
    do throws(ModelError) {
      return try LiteRTSession(self, entry, options)
    } catch {
      guard case .modelRejected(let problem) = error.reason, let suspicion = operatorUsage?.compatibilityHint
      else { throw error }
      throw ModelError(error.stage, .modelRejected(detail: "\(problem); \(suspicion)"))
    }
  }
}
