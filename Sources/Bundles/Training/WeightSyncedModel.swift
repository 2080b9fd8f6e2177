import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A model with its own graph that copies the weights of the trained model before it runs.
///
/// Weights are copied through a checkpoint. Runs and training steps are serialized, so that a run
/// never uses a mixture of old and new weights.
final class WeightSyncedModel: RuntimeModel {
  let model: any TrainableRuntimeModel
  private let source: TrainedWeights
  /// The revision of the source's weights that was copied last.
  private let syncedRevision = Mutex(0)

  init(_ model: any TrainableRuntimeModel, syncedWith source: TrainedWeights) {
    self.model = model
    self.source = source
  }

  var signature: ModelSignature { model.signature }
  var signatures: [ModelSignature] { model.signatures }
  var warnings: [Diagnostic] { model.warnings }

  /// The abilities of the model, except training, which would change the copy.
  var abilities: ModelAbilities {
    var abilities = model.abilities
    abilities.training = nil
    return abilities
  }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    WeightSyncedSession(try model.makeSession(options), of: self)
  }

  /// Runs `body` with the current weights, which cannot be changed in the meantime.
  fileprivate func withSyncedWeights(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    try source.withLock { (latest) throws(ModelError) in
      try sync(to: latest)
      try body()
    }
  }

  /// Copies the weights of the latest revision, unless they have been copied already.
  ///
  /// The caller has to hold the lock of the source's weights.
  func sync(to latest: Int) throws(ModelError) {
    try syncedRevision.withLock { (revision) throws(ModelError) in
      guard revision != latest else { return }
      try copyWeights()
      revision = latest
    }
  }

  private func copyWeights() throws(ModelError) {
    let folder: TemporaryDirectory
    do {
      folder = try TemporaryDirectory(prefix: "tensorio-following")
    } catch {
      throw ModelError(.run, .unwritable("weights", detail: error.message))
    }
    defer { folder.remove() }
    try source.model.saveWeights(to: folder.path + "/weights")
    try model.restoreWeights(from: folder.path + "/weights")
  }
}

/// A session that runs with the current weights.
private final class WeightSyncedSession: Session {
  private let session: any Session
  private let model: WeightSyncedModel

  init(_ session: any Session, of model: WeightSyncedModel) {
    self.session = session
    self.model = model
  }

  func invoke() throws(ModelError) {
    try model.withSyncedWeights { () throws(ModelError) in try session.invoke() }
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) { try session.resize(shapes) }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) { try session.fill(input, body) }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    try session.fill(input, strings: strings)
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) { try session.read(output, body) }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    try session.readStrings(output)
  }

  var abilities: SessionAbilities { session.abilities }
}

/// The weights that training changes, with the number of changes.
///
/// One caller at a time changes or writes the weights, so that a checkpoint is consistent.
final class TrainedWeights: Sendable {
  let model: any TrainableRuntimeModel
  private let revision = Mutex(0)
  private let steps = Mutex(0)

  init(_ model: any TrainableRuntimeModel) {
    self.model = model
  }

  /// Changes the weights.
  func mutate(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    try revision.withLock { (revision) throws(ModelError) in
      // Counted first, since a failed step may have changed some of the weights.
      revision += 1
      try body()
    }
  }

  /// The number of training steps, including those of a resumed checkpoint.
  var stepCount: Int {
    get { steps.withLock { $0 } }
    set { steps.withLock { $0 = newValue } }
  }

  /// Performs a training step.
  func train(_ step: () throws(ModelError) -> Void) throws(ModelError) {
    try mutate(step)
    steps.withLock { $0 += 1 }
  }

  /// Runs `body` with the current revision while nothing can change the weights.
  func withLock(_ body: (_ revision: Int) throws(ModelError) -> Void) throws(ModelError) {
    try revision.withLock { (revision) throws(ModelError) in try body(revision) }
  }
}
