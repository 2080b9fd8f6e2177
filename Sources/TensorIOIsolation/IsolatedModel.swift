internal import Synchronization
internal import TensorIOCore

/// A model that workers have loaded, each for one session.
final class IsolatedModel: RuntimeModel {
  let signature: ModelSignature
  let signatures: [ModelSignature]
  let warnings: [Problem]

  private let facts: ModelFacts
  private let source: ModelSource
  private let hiring: WorkerHiring
  /// The worker that was asked what the model is, until the first session needs one.
  private let spare: Mutex<Worker?>

  init(_ source: ModelSource, _ hiring: WorkerHiring) throws(ModelError) {
    let (worker, facts) = try Self.hire(hiring, source)
    self.source = source
    self.hiring = hiring
    self.facts = facts
    signature = facts.signature
    signatures = facts.signatures
    warnings = facts.warnings
    spare = Mutex(worker)
  }

  /// Whether workers are only kept from crashing the program, and not from attacking it.
  var trustsWorkers: Bool { hiring.isolation.level == .process }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    try IsolatedSession(self, options)
  }

  /// A worker with a session; a new one unless there is one that was not used yet.
  func worker(_ options: SessionOptions) throws(ModelError) -> Worker {
    let worker = if let spare = takeSpare() { spare } else { try newWorker() }
    try worker.command(.session(threads: options.threads))
    return worker
  }

  private func takeSpare() -> Worker? {
    spare.withLock { spare in
      defer { spare = nil }
      return spare.flatMap { $0.isGone ? nil : $0 }
    }
  }

  private static func hire(
    _ hiring: WorkerHiring, _ source: ModelSource
  ) throws(ModelError) -> (Worker, ModelFacts) {
    // Before, so that this is what is told; after, since it may be changed while it is read.
    try source.requireUnchanged()
    let hired = try hiring.hire(for: source)
    try source.requireUnchanged()
    return hired
  }

  /// A model that has become another in the meantime is not taken for the same.
  private func newWorker() throws(ModelError) -> Worker {
    let (worker, facts) = try Self.hire(hiring, source)
    guard facts == self.facts else { throw worker.senseless("another model") }
    return worker
  }
}
