internal import Synchronization
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
  public let metadata: [UInt8]?

  private let graph: LoadedGraph
  private let entry: EntryPoint
  /// A session that was made to learn the outputs' shapes, kept for whoever asks for one first.
  private let spare: Mutex<LiteRTSession?>

  init(_ bytes: ModelBytes, in environment: LiteRTEnvironment) throws(ModelError) {
    graph = try LoadedGraph(bytes, in: environment)
    let entries = try graph.entryPoints()
    guard let main = entries.first(where: \.isMain) ?? entries.first else {
      throw ModelError(.runtime, .modelRefused(problem: "it has no graph to run"))
    }
    entry = main
    metadata = graph.metadata(named: Self.metadataName)
    guard entry.declaresItsOutputs else {
      let session = try graph.session(entry, SessionOptions())
      signature = entry.signature(withOutputShapes: session.outputShapes)
      signatures = entries.map { [signature, entry] in
        $0.index == entry.index ? signature : $0.signature
      }
      spare = Mutex(session)
      return
    }
    signature = entry.signature
    signatures = entries.map(\.signature)
    spare = Mutex(nil)
  }

  /// Prepares the model to be run, by one caller at a time.
  ///
  /// Operators that the runtime does not have, and tensors that it cannot hold, are found here.
  public func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    try session(options)
  }

  func session(_ options: SessionOptions) throws(ModelError) -> LiteRTSession {
    if options == SessionOptions(), let session = takeSpare() { return session }
    return try graph.session(entry, options)
  }

  private func takeSpare() -> LiteRTSession? {
    spare.withLock { spare in
      defer { spare = nil }
      return spare
    }
  }

  /// The name under which a `.tflite` file carries a description of itself.
  private static let metadataName = "TFLITE_METADATA"
}

extension LoadedGraph {
  /// A session, or the runtime's refusal with the operators that it may be about.
  fileprivate func session(
    _ entry: EntryPoint, _ options: SessionOptions
  ) throws(ModelError) -> LiteRTSession {
    do throws(ModelError) {
      return try LiteRTSession(self, entry, options)
    } catch {
      guard case .modelRefused(let problem) = error.reason, let suspicion = operators?.suspicion
      else { throw error }
      throw ModelError(error.stage, .modelRefused(problem: "\(problem); \(suspicion)"))
    }
  }
}
