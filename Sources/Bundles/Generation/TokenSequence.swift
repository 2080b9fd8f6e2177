import Synchronization
import TensorIOBundle
import TensorIOCore

/// The tokens in the caches of a model, which the next text can begin with.
final class TokenSequence: Sendable {
  private let session: any StepSession
  private let ids = Mutex<[Int32]>([])
  private let cancelled = Atomic(false)

  /// The number of tokens of a step of a prompt: more take more memory and are no faster, and a step can be canceled only as a
  /// whole.
  private static let chunkLength = 128

  init(_ session: any StepSession) { self.session = session }

  var capacity: Int? { session.capacity }
  var vocabularySize: Int { session.vocabularySize }

  func cacheByteCount(for count: Int) -> Int { session.cacheByteCount(for: count) }

  /// Ends the step that runs, and those to come until ``allowSteps()``.
  func cancel() {
    cancelled.store(true, ordering: .sequentiallyConsistent)
    session.setCancelled(true)
  }

  func allowSteps() {
    cancelled.store(false, ordering: .sequentiallyConsistent)
    session.setCancelled(false)
  }

  var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

  /// Makes the caches hold a prompt, and returns how many tokens of it they held already.
  ///
  /// The last token always runs again, because its scores are needed.
  func begin(with prompt: [Int32]) throws(ModelError) -> Int {
    let common = ids.withLock { ids in
      zip(ids, prompt).prefix { $0 == $1 }.count
    }
    let kept = min(common, prompt.count - 1)
    try session.truncate(to: kept)
    ids.withLock { $0 = Array(prompt[..<kept]) }
    var rest = prompt[kept...]
    while !rest.isEmpty {
      try append(Array(rest.prefix(Self.chunkLength)))
      rest = rest.dropFirst(Self.chunkLength)
    }
    return kept
  }

  func append(_ tokens: [Int32]) throws(ModelError) {
    guard !isCancelled else { throw ModelError(.run, .cancelled) }
    try session.append(tokens)
    ids.withLock { $0 += tokens }
  }

  func readScores(_ body: (Span<Float>) throws(ModelError) -> Void) throws(ModelError) {
    try session.readScores(body)
  }
}
