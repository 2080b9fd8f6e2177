import Synchronization
import TensorIOBundle
import TensorIOCore

/// A sequence of tokens with its caches in LiteRT's memory.
///
/// The caches have memory for the maximum number of tokens. Those behind the counted ones are hidden, so that a step that fails
/// after it has written some changes nothing.
final class LiteRTStepSession: StepSession, @unchecked Sendable {  // used by one caller at a time
  private let model: LiteRTStepModel
  /// The caches that steps read and write; two if they cannot be written in place.
  private var caches: [LiteRTCaches] = []
  private var scores: [Float] = []
  private(set) var count = 0
  private let cancelled = Atomic(false)

  init(_ model: LiteRTStepModel) throws(ModelError) {
    self.model = model
    for _ in 0..<(model.writesInPlace ? 1 : 2) { caches.append(try model.makeCaches()) }
  }

  var capacity: Int? { model.steps.capacity }
  var vocabularySize: Int { model.steps.vocabularySize }

  func cacheByteCount(for count: Int) -> Int {
    model.steps.byteCount * (model.writesInPlace ? 1 : 2)
  }

  func append(
    _ tokens: [Int32], returning outputs: [String]
  ) throws(ModelError) -> [TensorIOCore.Tensor] {
    guard outputs.isEmpty else {
      throw ModelError(.run, .unsupported("other outputs of steps in LiteRT"))
    }
    try validate(tokens, for: model.steps.tokensName)
    scores = try model.append(tokens, to: self, &caches)
    count += tokens.count
    return []
  }

  /// Signatures for several tokens return no scores, or only keys and values.
  let hasScoresOfEveryToken = false

  func readScores(
    after index: Int, _ body: (Span<Float>) throws(ModelError) -> Void
  ) throws(ModelError) {
    let scores = scores
    guard !scores.isEmpty, index == count - 1 else {
      throw ModelError(.run, .failed("the token \(index) of \(count) has no scores"))
    }
    try body(scores.span)
  }

  func begin(with values: [String: TensorIOCore.Tensor]) throws(ModelError) {
    throw ModelError(.run, .unsupported("caches of another function in LiteRT"))
  }

  func truncate(to count: Int) throws(ModelError) {
    guard count < self.count else { return }
    (self.count, scores) = (max(0, count), [])
  }

  func fork() throws(ModelError) -> any StepSession {
    let fork = try LiteRTStepSession(model)
    if let own = caches.first { try fork.caches.first?.copy(own) }
    (fork.count, fork.scores) = (count, scores)
    return fork
  }

  /// Whether steps end as soon as possible.
  var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

  func setCancelled(_ isCancelled: Bool) {
    cancelled.store(isCancelled, ordering: .sequentiallyConsistent)
    model.updateCancellation(of: self)
  }
}
