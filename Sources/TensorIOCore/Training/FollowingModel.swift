internal import Synchronization
internal import TensorIOSystem

/// A model with a graph of its own that takes over the weights of a trained one before it runs.
///
/// Weights go from graph to graph as a checkpoint. Runs and steps follow one another, so that no run
/// sees the weights of two moments.
final class FollowingModel: RuntimeModel {
  let model: any TrainableRuntimeModel
  private let leader: TrainedWeights
  /// The change of the leader's weights that has been taken over.
  private let followed = Mutex(0)

  init(_ model: any TrainableRuntimeModel, following leader: TrainedWeights) {
    self.model = model
    self.leader = leader
  }

  var signature: ModelSignature { model.signature }
  var signatures: [ModelSignature] { model.signatures }
  var warnings: [Problem] { model.warnings }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    FollowingSession(try model.makeSession(options), of: self)
  }

  /// Does something with the weights that the leader has now, which nobody changes meanwhile.
  fileprivate func withWeights(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    try leader.hold { (latest) throws(ModelError) in
      try follow(to: latest)
      try body()
    }
  }

  /// Takes over the weights of the latest change, unless they are there already.
  ///
  /// The caller holds the leader's weights.
  func follow(to latest: Int) throws(ModelError) {
    try followed.withLock { (change) throws(ModelError) in
      guard change != latest else { return }
      try takeOver()
      change = latest
    }
  }

  private func takeOver() throws(ModelError) {
    let folder: ScratchFolder
    do {
      folder = try ScratchFolder("tensorio-following")
    } catch {
      throw ModelError(.run, .unwritable("weights", problem: error.problem))
    }
    defer { folder.remove() }
    try leader.model.saveWeights(to: folder.path + "/weights")
    try model.restoreWeights(from: folder.path + "/weights")
  }
}

/// A session that runs with the weights of the moment.
private final class FollowingSession: Session {
  private let session: any Session
  private let model: FollowingModel

  init(_ session: any Session, of model: FollowingModel) {
    self.session = session
    self.model = model
  }

  func invoke() throws(ModelError) {
    try model.withWeights { () throws(ModelError) in try session.invoke() }
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
