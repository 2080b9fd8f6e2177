import Foundation
import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOONNX
import TensorIOTestSupport
import Testing

/// Models with caches that are run step by step in worker processes.
@Suite(.serialized, .ownThreads) struct StepWorkerTests {
  private static let levels: [Isolation.Level] =
    (try? IsolatedBackend(.onnxRuntime, isolation: Isolation(level: .sandbox)).checkAvailability())
      == nil ? [.process] : [.process, .sandbox]
  private static let text = DecoderFixture.texts[0]

  private func rig(_ isolation: Isolation = Isolation()) -> IsolatedRig {
    IsolatedRig(.onnxRuntime, isolation)
  }

  /// Creates a sequence with the tokens of a prompt.
  private func sequence(
    of model: any SteppableRuntimeModel, _ prompt: [Int32] = text.prompt
  ) throws -> any StepSession {
    let sequence = try model.makeStepSession()
    try sequence.append(prompt)
    return sequence
  }

  private func end(_ worker: Int32) {
    kill(worker, SIGKILL)
    #expect(ProcessFacts.waitForEnd(worker))
  }

  /// Returns a timeout that only a stopped worker exceeds.
  private func timeout() throws -> Duration {
    try HangGuard.limit {
      _ = try sequence(of: DecoderFixture.load(on: rig().backend)).write(1)
    }
  }

  // MARK: Results

  @Test(arguments: levels, DecoderFixture.texts.indices)
  func `Tokens in a worker are those of the reference`(
    _ level: Isolation.Level, _ index: Int
  ) throws {
    let text = DecoderFixture.texts[index]
    let model = try DecoderFixture.load(on: rig(Isolation(level: level)).backend)
    let isolated = try sequence(of: model, text.prompt)
    let local = try sequence(of: DecoderFixture.load(on: ONNXBackend()), text.prompt)
    #expect(try isolated.scoreBits == local.scoreBits)
    #expect(try isolated.write(text.ids.count) == text.ids)
    #expect(isolated.count == text.prompt.count + text.ids.count)
    #expect(isolated.vocabularySize == 258 && isolated.capacity == nil)
    for count in [0, 1, 1000] {
      #expect(isolated.cacheByteCount(for: count) == local.cacheByteCount(for: count))
    }
    #expect(isolated.cacheByteCount(for: .max) == .max)
  }

  @Test(arguments: [nil] + levels.map(Optional.some))
  func `The command writes the same text`(_ level: Isolation.Level?) throws {
    let flags = level.map { ["--isolation", $0.rawValue] } ?? []
    let outcome = TestConsole.run(
      ["generate", DecoderFixture.bundle, "Hello", "--raw", "--max-tokens", "40"] + flags)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let bytes = Self.text.ids.map(UInt8.init(truncatingIfNeeded:))
    // As strings, a carriage return at the end and the line feed after it would be one character.
    #expect(outcome.output.utf8.starts(with: String(decoding: bytes, as: UTF8.self).utf8))
  }

  @Test func `A new process gets the values of another function again`() throws {
    let model = try Model(
      at: ProjectFiles.path("Tests/Fixtures/Bundles/encoder-decoder.tiobundle"))
    let states = try #require(model.functions["encode"]).run("Hello").tensor("last_hidden_state")
    let use = ModelBinding(model.bundle.description, mode: .predict, threads: 1)
    let rig = rig()
    let steps = try rig.backend.load(model.bundle.modelFile, for: use).abilities.steps
    let sequence = try #require(steps).makeStepSession()
    #expect(failure { try sequence.append([257, 256]) }?.code == "failed", "no values")
    try sequence.begin(with: [
      "encoder_hidden_states": states,
      "encoder_attention_mask": Tensor([1, 1, 1, 1, 1] as [Int32]),
    ])
    try sequence.append([257, 256])
    let golden = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/decoders.json"))
    let ids = try sequence.write(40) { index in if index == 5 { rig.workers.forEach(end) } }
    #expect(
      ids.map(Double.init) == golden["encoder"]?.array?[0]["ids"]?.array?.compactMap(\.number))
    let fork = try sequence.fork()
    #expect(try fork.scoreBits == sequence.scoreBits)
    for sequence in [sequence, fork] { try sequence.append([1]) }
    #expect(try fork.scoreBits == sequence.scoreBits)
    #expect(
      failure {
        try sequence.begin(with: [:]); try sequence.append([1])
      } != nil)
  }

  @Test func `A step with invalid tokens leaves the sequence as it was`() throws {
    let local = try sequence(of: DecoderFixture.load(on: ONNXBackend()))
    let rig = rig()
    let isolated = try sequence(of: DecoderFixture.load(on: rig.backend))
    let bits = try isolated.scoreBits
    for tokens in [[], [258], [1, -1], Array(repeating: 1, count: 257)] as [[Int32]] {
      let error = failure { try isolated.append(tokens) }
      #expect(error != nil && error?.code == failure { try local.append(tokens) }?.code)
    }
    #expect(try isolated.scoreBits == bits)
    #expect(try isolated.write(5) == Array(Self.text.ids.prefix(5)))
    #expect(rig.workers.count == 1)
  }

  @Test func `Without tokens there are no scores`() throws {
    let sequence = try DecoderFixture.load(on: rig().backend).makeStepSession()
    #expect(failure { _ = try sequence.scoreBits }?.code == "failed")
    try sequence.append(Self.text.prompt)
    try sequence.truncate(to: 3)
    #expect(failure { _ = try sequence.scoreBits }?.code == "failed")
  }

  @Test(arguments: levels)
  func `The scores of each token of a step are those of this process`(
    _ level: Isolation.Level
  ) throws {
    let isolated = try sequence(
      of: DecoderFixture.load(on: rig(Isolation(level: level)).backend), [1, 2])
    let local = try sequence(of: DecoderFixture.load(on: ONNXBackend()), [1, 2])
    #expect(isolated.hasScoresOfEveryToken && local.hasScoresOfEveryToken)
    for sequence in [isolated, local] { try sequence.append([3, 4, 5]) }
    for index in [2, 4, 3] {
      #expect(try isolated.scoreBits(after: index) == local.scoreBits(after: index))
    }
    #expect(try isolated.scoreBits(after: 2) != isolated.scoreBits)
    for index in [-1, 1, 5] {
      #expect(failure { _ = try local.scoreBits(after: index) } != nil)
      #expect(failure { _ = try isolated.scoreBits(after: index) } != nil)
      try isolated.truncate(to: 2)
      try isolated.append([3, 4, 5])
    }
    let fork = try isolated.fork()
    #expect(try fork.scoreBits == local.scoreBits)
    #expect(failure { _ = try fork.scoreBits(after: 3) } != nil, "they are in other memory")
    try isolated.truncate(to: 4)
    #expect(failure { _ = try isolated.scoreBits(after: 3) } != nil)
  }

  // MARK: Forks and truncation

  @Test func `A sequence is truncated and forked as in this process`() throws {
    let rig = rig()
    let results = try [ONNXBackend(), rig.backend].map { (backend: any Backend) in
      let sequence = try sequence(of: DecoderFixture.load(on: backend))
      let fork = try sequence.fork()
      #expect(try fork.scoreBits == sequence.scoreBits)
      try sequence.append([7])
      var ids = try sequence.write(6) + fork.write(6)
      try sequence.truncate(to: 4)
      try sequence.truncate(to: 9)
      #expect(sequence.count == 4)
      let second = try sequence.fork()
      try second.append([9, 8])
      try sequence.append([9])
      try sequence.append([8])
      #expect(try second.best == sequence.best)
      ids += try sequence.write(6)
      try sequence.truncate(to: 0)
      try sequence.append(Self.text.prompt)
      return ids + (try sequence.write(6))
    }
    #expect(results[0] == results[1])
    #expect(results[1].suffix(6) == Self.text.ids.prefix(6))
    #expect(rig.workers.count == 1, "forks share the caches")
  }

  // MARK: Crashes

  @Test func `A worker that is killed between two steps is replaced once`() throws {
    let rig = rig()
    let sequence = try sequence(of: DecoderFixture.load(on: rig.backend))
    let ids = try sequence.write(Self.text.ids.count) { if $0 == 20 { end(rig.workers[0]) } }
    #expect(ids == Self.text.ids)
    #expect(rig.workers.count == 2)
    end(rig.workers[1])
    #expect(try sequence.best >= 0, "the scores are still there")
    let error = failure { try sequence.append([1]) }
    #expect(error?.code == "worker-crashed" && error?.stage == .run)
    #expect(rig.workers.count == 2)
    // The next call launches a worker, as for runs.
    try sequence.truncate(to: Self.text.prompt.count - 1)
    try sequence.append(Array(Self.text.prompt.suffix(1)))
    #expect(try sequence.write(5) == Array(Self.text.ids.prefix(5)))
    #expect(rig.workers.count == 3)
  }

  @Test(.hangGuard, arguments: [SIGKILL, SIGSEGV])
  func `A worker that crashes during a step is replaced`(_ signal: Int32) async throws {
    let rig = rig()
    let sequence = try sequence(of: DecoderFixture.load(on: rig.backend))
    kill(rig.workers[0], SIGSTOP)
    let ids = Task { await onNewThread { Result { try sequence.write(10) } } }
    try await Task.sleep(for: .milliseconds(200))
    kill(rig.workers[0], signal)
    // A stopped process handles only SIGKILL.
    kill(rig.workers[0], SIGCONT)
    #expect(try await ids.value.get() == Array(Self.text.ids.prefix(10)))
    #expect(rig.workers.count == 2)
  }

  @Test(.hangGuard)
  func `A crash whose replacement crashes is the error of the step`() async throws {
    let launches = Mutex<[Int32]>([])
    var backend = rig().backend
    backend.onWorkerLaunch = { worker in
      let count = launches.withLock { launches in
        launches.append(worker)
        return launches.count
      }
      if count == 2 { kill(worker, SIGKILL) }
    }
    let sequence = try sequence(of: DecoderFixture.load(on: backend))
    let worker = launches.withLock { $0[0] }
    kill(worker, SIGSTOP)
    let failed = Task { await onNewThread { failure { try sequence.append([1]) } } }
    try await Task.sleep(for: .milliseconds(200))
    kill(worker, SIGKILL)
    #expect(await failed.value?.code == "worker-crashed")
    #expect(launches.withLock(\.count) == 2)
    #expect(sequence.count == Self.text.prompt.count)
    try sequence.append([Self.text.ids[0]])
    #expect(try sequence.best == Self.text.ids[1])
  }

  @Test(.hangGuard) func `A step that hangs ends only its sequence`() throws {
    let rig = rig(Isolation(timeout: try timeout()))
    let model = try DecoderFixture.load(on: rig.backend)
    let (hanging, other) = (try sequence(of: model), try sequence(of: model))
    kill(rig.workers[0], SIGSTOP)
    let error = failure { try hanging.append([1]) }
    #expect(error?.code == "worker-crashed")
    #expect(error?.message.contains("did not respond within") == true)
    #expect(rig.workers.count == 2, "a step that took too long is not repeated")
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
    #expect(try other.write(10) == Array(Self.text.ids.prefix(10)))
    #expect(try sequence(of: model).write(3) == Array(Self.text.ids.prefix(3)))
  }

  @Test(.hangGuard) func `Sequences of a suspended model that run go on`() throws {
    let rig = rig(Isolation(timeout: try timeout(), maxCrashes: 1, crashWindow: .seconds(3600)))
    let model = try DecoderFixture.load(on: rig.backend)
    let (hanging, other) = (try sequence(of: model), try sequence(of: model))
    kill(rig.workers[0], SIGSTOP)
    #expect(failure { try hanging.append([1]) }?.code == "worker-crashed")
    #expect(failure { try hanging.append([1]) }?.code == "model-suspended")
    #expect(failure { _ = try model.makeStepSession() }?.code == "model-suspended")
    #expect(try other.write(10) == Array(Self.text.ids.prefix(10)))
  }

  @Test func `A text continues after its worker was killed`() throws {
    let rig = rig()
    let model = try Model(
      ModelBundle(at: DecoderFixture.bundle), on: rig.backend, options: OpeningOptions(threads: 1))
    var options = GenerationOptions(maxTokens: 40)
    options.isRaw = true
    let expected = try model.generate("Hello", options: options).result().tokens
    #expect(expected == Self.text.ids)
    let generation = try model.generate("Hello", options: options)
    var count = 0
    while try generation.next() != nil {
      count += 1
      if count == 7 { end(rig.workers[0]) }
    }
    #expect(generation.partialResult.tokens == expected)
    let failed = try model.generate("Hello", options: options)
    #expect(
      failure {
        while try failed.next() != nil { end(try #require(rig.workers.last)) }
      }?.code == "worker-crashed")
    #expect(failed.partialResult.tokens.count == 2)
    #expect(try model.generate("Hello", options: options).result().tokens == expected)
  }

  // MARK: Cancellation

  @Test(.hangGuard) func `A canceled step ends within a second, and is no crash`() async throws {
    let rig = rig(Isolation(maxCrashes: 1))
    let sequence = try sequence(of: DecoderFixture.load(on: rig.backend))
    kill(rig.workers[0], SIGSTOP)
    let failed = Task { await onNewThread { failure { try sequence.append([1]) } } }
    try await Task.sleep(for: .milliseconds(200))
    sequence.setCancelled(true)
    #expect(await failed.value?.reason == .cancelled)
    #expect(failure { try sequence.append([1]) }?.reason == .cancelled)
    sequence.setCancelled(false)
    try sequence.truncate(to: Self.text.prompt.count - 1)
    try sequence.append(Array(Self.text.prompt.suffix(1)))
    #expect(try sequence.write(5) == Array(Self.text.ids.prefix(5)))
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
  }

  // MARK: Resources

  @Test
  func `Sequences that follow each other use one worker, and leave no shared memory`() throws {
    // Other suites share memory with their workers at the same time, but not that much.
    let count = 300
    let before = try sharedMemoryCount(getpid())
    let rig = rig()
    let model = try DecoderFixture.load(on: rig.backend)
    for _ in 0..<count { #expect(try sequence(of: model).best == Self.text.ids[0]) }
    #expect(rig.workers.count == 1)
    #expect(try sharedMemoryCount(getpid()) < before + count / 2)
    #expect(try sharedMemoryCount(rig.workers[0]) == 1)
  }

  private func sharedMemoryCount(_ process: Int32) throws -> Int {
    let folder = "/proc/\(process)/fd"
    // A descriptor can be closed after it was listed.
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?
        .hasPrefix("/memfd:tensorio") == true
    }
  }

  @Test(.hangGuard) func `Abandoned sequences leave no process`() async throws {
    let rig = rig()
    do {
      let model = try DecoderFixture.load(on: rig.backend)
      for _ in 0..<4 {
        let sequences = try (0..<4).map { _ in try sequence(of: model) }
        _ = try sequences.map { try $0.fork() }[0].write(2)
      }
      #expect(rig.workers.count >= 4)
      // Processes end with their sequences, except for the one that the next sequence uses.
      try await waitUntil { rig.workers.count(where: ProcessFacts.isAlive) == 1 }
    }
    #expect(rig.workers.allSatisfy(ProcessFacts.waitForEnd))
  }
}
