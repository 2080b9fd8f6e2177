import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A model with a graph of its own that takes over the weights of a trained one before it runs.
///
/// Weights go from graph to graph as a checkpoint. Runs and steps follow one another, so that no run
/// sees the weights of two moments.
final class WeightSyncedModel: RuntimeModel {
  let model: any TrainableRuntimeModel
  private let source: TrainedWeights
  /// The change of the leader's weights that has been taken over.
  private let syncedRevision = Mutex(0)

  init(_ model: any TrainableRuntimeModel, syncedWith leader: TrainedWeights) {
    self.model = model
    self.source = leader
  }

  var signature: ModelSignature { model.signature }
  var signatures: [ModelSignature] { model.signatures }
  var warnings: [Diagnostic] { model.warnings }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    WeightSyncedSession(try model.makeSession(options), of: self)
  }

  /// Does something with the weights that the leader has now, which nobody changes meanwhile.
  fileprivate func withSyncedWeights(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    try source.withLock { (latest) throws(ModelError) in
      try sync(to: latest)
      try body()
    }
  }

  /// Takes over the weights of the latest change, unless they are there already.
  ///
  /// The caller holds the leader's weights.
  func sync(to latest: Int) throws(ModelError) {
    try syncedRevision.withLock { (change) throws(ModelError) in
      guard change != latest else { return }
      try copyWeights()
      change = latest
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

/// A session that runs with the weights of the moment.
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
}

/// The weights that training changes, and how often they have been changed.
///
/// One caller at a time changes or writes them, so that what is written is of one moment.
final class TrainedWeights: Sendable {
  let model: any TrainableRuntimeModel
  private let revision = Mutex(0)
  private let steps = Mutex(0)

  init(_ model: any TrainableRuntimeModel) {
    self.model = model
  }

  /// Changes the weights.
  func mutate(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    try revision.withLock { (count) throws(ModelError) in
      // A step that failed may have changed some of them.
      count += 1
      try body()
    }
  }

  /// How many steps of training the weights have had, as far as is known.
  var stepCount: Int {
    get { steps.withLock { $0 } }
    set { steps.withLock { $0 = newValue } }
  }

  /// Takes a step of training.
  func train(_ step: () throws(ModelError) -> Void) throws(ModelError) {
    try mutate(step)
    steps.withLock { $0 += 1 }
  }

  /// Lets nobody change the weights meanwhile.
  func withLock(_ body: (_ changes: Int) throws(ModelError) -> Void) throws(ModelError) {
    try revision.withLock { (count) throws(ModelError) in try body(count) }
  }
}
