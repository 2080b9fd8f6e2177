import Synchronization
import TensorIOBundle
import TensorIOCore

/// The inputs and outputs of one caller, for a compiled model whose variables all sessions share.
///
/// Not thread-safe. The session is `Sendable` so that it can move between threads; the session pool
/// lends it to one caller at a time.
final class VariableSession: Session, @unchecked Sendable {
  private let store: VariableStore
  private let binding: SignatureBinding
  private let session: LiteRTSession
  /// The session that computes the outputs without changing variables, if the first one changes
  /// them.
  private var evaluation: LiteRTSession?
  /// Whether the outputs are those of `evaluation`.
  private var hasEvaluated = false
  /// The inputs and placeholders that were filled since the last run.
  private var filled: Set<Int> = []
  /// Whether runs of this session end early, and whether it runs: all sessions of the model share what
  /// ends a run.
  private let cancellation = Mutex((isCancelled: false, isRunning: false))

  /// Creates a session of a binding's signature.
  init(_ store: VariableStore, _ binding: SignatureBinding) throws(ModelError) {
    self.store = store
    self.binding = binding
    session = try store.makeSession(binding.entryPoint)
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes.count == binding.inputCount else {
      throw ModelError(.input, .inputCount(expected: binding.inputCount, actual: shapes.count))
    }
    let placeholders = session.inputShapes.dropFirst(binding.inputCount)
    try store.withExclusiveAccess { () throws(ModelError) in
      try session.resize(shapes + placeholders)
    }
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    try session.fill(input, body)
    filled.insert(input)
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    try session.fill(input, strings: strings)
    filled.insert(input)
  }

  var abilities: SessionAbilities {
    var abilities = session.abilities
    abilities.discardInputs = { self.discardInputs() }
    abilities.setCancelled = { self.setCancelled($0) }
    if abilities.resetState != nil {
      abilities.resetState = { () throws(ModelError) in try self.resetState() }
    }
    if binding.isTraining {
      abilities.train = { (moment) throws(ModelError) in try self.train(moment) }
    }
    return abilities
  }

  private func discardInputs() { filled = [] }

  /// Computes the outputs without changing variables.
  func invoke() throws(ModelError) {
    guard binding.isTraining else {
      try requireInputs(Array(binding.entryPoint.inputs.indices))
      defer { discardInputs() }
      return try run { () throws(ModelError) in try session.invoke() }
    }
    guard let evaluation = binding.evaluation else {
      throw ModelError(
        .runtime,
        .unsupported(
          "evaluation without a signature that returns the outputs of '\(binding.entryPoint.name)'"
            + " and changes no variables"))
    }
    try requireInputs(evaluation.inputs)
    defer { discardInputs() }
    try run { () throws(ModelError) in try evaluate(evaluation) }
  }

  /// Runs the model within exclusive access.
  private func run(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    try store.withExclusiveAccess { () throws(ModelError) in
      cancellation.withLock { state in
        state.isRunning = true
        store.interruption.setCancelled(state.isCancelled)
      }
      defer {
        cancellation.withLock { state in
          state.isRunning = false
          store.interruption.setCancelled(false)
        }
      }
      try body()
    }
  }

  private func setCancelled(_ isCancelled: Bool) {
    cancellation.withLock { state in
      state.isCancelled = isCancelled
      if state.isRunning { store.interruption.setCancelled(isCancelled) }
    }
  }

  private func resetState() throws(ModelError) {
    try store.withExclusiveAccess { () throws(ModelError) in
      try session.resetState()
      try evaluation?.resetState()
    }
  }

  private func train(_ timing: StepOutputTiming) throws(ModelError) {
    try requireInputs(Array(binding.entryPoint.inputs.indices))
    defer { discardInputs() }
    hasEvaluated = false
    try run { () throws(ModelError) in
      try session.invoke()
      if timing == .afterStep, let evaluation = binding.evaluation { try evaluate(evaluation) }
    }
  }

  private func evaluationSession(_ entryPoint: EntryPoint) throws(ModelError) -> LiteRTSession {
    if let evaluation { return evaluation }
    let session = try store.makeSessionWithinAccess(entryPoint)
    evaluation = session
    return session
  }

  /// Computes the outputs with the current inputs, within exclusive access.
  private func evaluate(_ binding: SignatureBinding.Evaluation) throws(ModelError) {
    hasEvaluated = false
    let evaluation = try evaluationSession(binding.entryPoint)
    try evaluation.resize(binding.inputs.map { session.inputShapes[$0] })
    for (input, source) in binding.inputs.enumerated() {
      var bytes: [UInt8] = []
      try session.fill(source) { memory throws(ModelError) in bytes = memory.bytes.copiedBytes }
      try evaluation.fill(input) { memory throws(ModelError) in
        memory.copyBytes(from: bytes)
      }
    }
    try evaluation.invoke()
    hasEvaluated = true
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    try outputs.read(output, body)
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    try outputs.readStrings(output)
  }

  private var outputs: LiteRTSession {
    if hasEvaluated, let evaluation { evaluation } else { session }
  }

  private func requireInputs(_ required: [Int]) throws(ModelError) {
    let missing = required.filter { !filled.contains($0) }
    guard missing.isEmpty else {
      discardInputs()
      let keys = binding.entryPoint.inputs.map(\.key)
      throw ModelError(
        .input, .inputNames(missing: missing.map { keys[$0] }, unexpected: [], declared: keys))
    }
  }
}
