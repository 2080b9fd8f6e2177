import TensorIOBundle
import TensorIOCore

/// A sequence of tokens whose caches are in a separate worker process, so that a model that hangs or crashes ends no other
/// sequence but its forks.
///
/// The caches are lost with the process. The tokens are kept here, and run again in a new process: once for each continuation,
/// because a model that crashes again after the same tokens will do so each time.
final class IsolatedStepSession: StepSession, @unchecked Sendable {  // used by one caller at a time
  private let model: IsolatedModel
  private let info: StepSessionInfo
  /// The caches, which forks use as well.
  private let caches: WorkerCaches
  /// The memory that worker processes write the scores to.
  private let scores: SharedMemory
  /// The position of the token whose scores are in the memory; `nil` if there are none.
  private var scoredIndex: Int?
  private var tokens: [Int32] = []
  /// What a function has computed for the caches.
  private var given: WorkerCaches.Given?
  /// The number of tokens of the longest step, which kept the time limit.
  private var longestStep = 1
  /// Whether no tokens have run again since the last truncation or error.
  private var canReplay = true
  private let cancellation = WorkerCancellation()

  /// Creates an empty sequence in a worker process.
  init(_ model: IsolatedModel) throws(ModelError) {
    self.model = model
    let worker = try model.availableWorker()
    info = try Self.makeCaches(in: worker)
    scores = try Self.makeMemory(info)
    caches = WorkerCaches(worker, of: model)
  }

  /// Creates a sequence with the tokens and the scores of another one.
  private init(copying other: IsolatedStepSession) throws(ModelError) {
    (model, info, tokens) = (other.model, other.info, other.tokens)
    (longestStep, scoredIndex) = (other.longestStep, other.scoredIndex)
    (caches, given) = (other.caches, other.given)
    scores = try Self.makeMemory(info)
    let scores = scores
    other.scores.readNumbers(copying: false) { _ = scores.copy($0) }
  }

  private static func makeMemory(_ info: StepSessionInfo) throws(ModelError) -> SharedMemory {
    let byteCount = info.vocabularySize * MemoryLayout<Float>.stride
    guard let memory = SharedMemory(byteCount: byteCount) else { throw .noSharedMemory }
    return memory
  }

  private static func makeCaches(in worker: WorkerClient) throws(ModelError) -> StepSessionInfo {
    guard case .stepSessionMade(let info) = try worker.call(.makeStepSession) else {
      throw worker.protocolViolation("no caches")
    }
    return info
  }

  var count: Int { tokens.count }
  var capacity: Int? { info.capacity }
  var vocabularySize: Int { info.vocabularySize }
  var hasScoresOfEveryToken: Bool { info.hasScoresOfEveryToken }

  func cacheByteCount(for count: Int) -> Int {
    let (added, overflow) = count.multipliedReportingOverflow(by: info.byteCountPerToken)
    let (sum, carry) = added.addingReportingOverflow(info.baseByteCount)
    return overflow || carry ? .max : sum
  }

  func setCancelled(_ isCancelled: Bool) { cancellation.setCancelled(isCancelled) }

  func readScores(
    after index: Int, _ body: (Span<Float>) throws(ModelError) -> Void
  ) throws(ModelError) {
    if scoredIndex != index {
      guard scoredIndex != nil, let worker = caches.worker, caches.scores === scores,
        0..<count ~= index
      else {
        throw ModelError(.run, .failed("no token has been added, or its scores were lost"))
      }
      scoredIndex = nil
      do throws(ModelError) {
        try worker.callExpectingDone(.writeScores(after: index))
      } catch {
        if worker.isDisconnected { caches.replaceWorker(nil) }
        throw error
      }
      scoredIndex = index
    }
    try scores.readNumbers(copying: !model.trustsWorkers, body)
  }

  /// Removes all tokens; the worker process gets the values in the next step.
  func begin(with values: [String: Tensor]) {
    (tokens, scoredIndex, canReplay) = ([], nil, true)
    given = WorkerCaches.Given(values)
  }

  /// Keeps the first tokens; the worker process removes the others in the next step.
  func truncate(to count: Int) {
    canReplay = true
    guard count < tokens.count else { return }
    tokens.removeLast(tokens.count - max(0, count))
    scoredIndex = nil
  }

  /// Returns a sequence that shares the caches: each of the two first runs the tokens in which they differ.
  func fork() throws(ModelError) -> any StepSession { try IsolatedStepSession(copying: self) }
}

// MARK: Steps

extension IsolatedStepSession {
  func append(
    _ newTokens: [Int32], returning outputs: [String]
  ) throws(ModelError) -> [Tensor] {
    var crash: ModelError?
    var values: [Tensor] = []
    while true {
      do throws(ModelError) {
        values = try run(newTokens, returning: outputs)
        break
      } catch {
        let worker = caches.worker
        if worker?.isDisconnected ?? true { dropWorker() }
        guard canReplay, let worker, worker.hasCrashed else {
          canReplay = true
          // The crash says more than what prevents another process, such as that the model is suspended.
          throw worker == nil ? crash ?? error : error
        }
        (canReplay, crash) = (false, error)
      }
    }
    tokens += newTokens
    (longestStep, scoredIndex) = (max(longestStep, newTokens.count), count - 1)
    return values
  }

  /// Runs more tokens, after those that the worker's caches have not.
  private func run(
    _ newTokens: [Int32], returning outputs: [String]
  ) throws(ModelError) -> [Tensor] {
    let worker = try liveWorker()
    if caches.given !== given {
      try worker.begin(with: given?.values ?? [:])
      (caches.given, caches.tokens) = (given, [])
    }
    if caches.scores !== scores {
      try worker.attachScores(scores)
      caches.scores = scores
    }
    // The first step removes what follows.
    let common = zip(caches.tokens, tokens).prefix { $0 == $1 }.count
    caches.tokens.removeLast(caches.tokens.count - common)
    var missing = tokens[common...]
    if !missing.isEmpty { scoredIndex = nil }
    while !missing.isEmpty, missing.count + newTokens.count > longestStep || !outputs.isEmpty {
      _ = try step(Array(missing.prefix(longestStep)), in: worker)
      missing = missing.dropFirst(longestStep)
    }
    return try step(missing + newTokens, returning: outputs, in: worker)
  }

  private func step(
    _ tokens: [Int32], returning outputs: [String] = [], in worker: WorkerClient
  ) throws(ModelError) -> [Tensor] {
    let request = WorkerRequest.step(after: caches.tokens.count, tokens: tokens, outputs: outputs)
    var values: [Tensor] = []
    try cancellation.withCancellation(of: worker) { () throws(ModelError) in
      guard !outputs.isEmpty else { return try worker.callExpectingDone(request) }
      values = try worker.outputs(of: request, count: outputs.count)
      try worker.attachScores(scores)
    }
    caches.tokens += tokens
    return values
  }

  /// Returns the worker process, or a new one with empty caches if it has terminated.
  private func liveWorker() throws(ModelError) -> WorkerClient {
    if let worker = caches.worker {
      guard worker.isDisconnected else { return worker }
      worker.recordIdleExit()
      dropWorker()
      guard canReplay else {
        throw ModelError(.run, .workerCrashed(detail: "terminated between two steps"))
      }
      canReplay = false
    }
    let newWorker = try model.availableWorker()
    guard try Self.makeCaches(in: newWorker) == info else {
      throw newWorker.protocolViolation("different caches")
    }
    caches.replaceWorker(newWorker)
    return newWorker
  }

  private func dropWorker() {
    caches.replaceWorker(nil)
    scoredIndex = nil
  }
}

extension WorkerClient {
  /// Gives the worker process the values of caches that a function has computed.
  fileprivate func begin(with values: [String: Tensor]) throws(ModelError) {
    let sorted = values.sorted { $0.key < $1.key }
    let layout = SharedMemoryLayout(
      sorted.map { ($0.value.elementType.byteCount ?? -1) * $0.value.count })
    guard let layout, let memory = SharedMemory(byteCount: layout.byteCount) else {
      throw .noSharedMemory
    }
    var caches: [GivenCache] = []
    for ((name, tensor), range) in zip(sorted, layout.ranges) {
      try tensor.withBytes { (bytes) throws(ModelError) in
        guard memory.copy(bytes, into: range) else { throw .noSharedMemory }
      }
      caches.append(
        GivenCache(
          input: name, elementType: tensor.elementType, shape: tensor.shape, range: range))
    }
    try callExpectingDone(.attachMemory(.inputs, byteCount: memory.byteCount), with: memory)
    try callExpectingDone(.beginSteps(caches))
  }

  /// Returns the outputs of a step, which the worker process writes to memory of their size.
  fileprivate func outputs(
    of request: WorkerRequest, count: Int
  ) throws(ModelError) -> [Tensor] {
    guard case .outputMemoryRequired(let byteCount) = try call(request) else {
      throw protocolViolation("no outputs")
    }
    guard 0...SharedMemoryLayout.maxByteCount ~= byteCount else {
      throw protocolViolation("a request for \(byteCount) bytes of memory")
    }
    guard let memory = SharedMemory(byteCount: byteCount) else { throw .noSharedMemory }
    let response = try call(.attachMemory(.outputs, byteCount: byteCount), with: memory)
    guard case .outputs(let locations) = response, locations.count == count else {
      throw protocolViolation("other outputs")
    }
    var tensors: [Tensor] = []
    for location in locations {
      let isInBounds = try memory.readCopy(location.range) { (bytes) throws(ModelError) in
        tensors.append(
          try Tensor(memory: bytes, elementType: .float32, shape: location.shape.signedDimensions))
      }
      guard isInBounds else { throw protocolViolation("outputs outside of the memory") }
    }
    return tensors
  }

  /// Gives the worker process the memory for scores.
  fileprivate func attachScores(_ memory: SharedMemory) throws(ModelError) {
    try callExpectingDone(.attachMemory(.outputs, byteCount: memory.byteCount), with: memory)
  }
}
