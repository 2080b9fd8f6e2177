import Foundation
import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOTensorFlow
import TensorIOTestSupport
import Testing

/// Worker processes that terminate or hang: only the current call fails.
@Suite(.ownThreads) struct WorkerDeathTests {
  static let input: [Float] = Array(repeating: 0.5, count: 64)
  static let image = ProjectFiles.path("Examples/Bundles/digits.tiobundle/samples/0-1.png")

  private func scores(_ model: Model) throws -> [UInt32] {
    let output = try model.run(ImageBuffer(contentsOf: Self.image))
    let scores: [Float] = try output["classification"].value()
    return scores.map(\.bitPattern)
  }

  @Test(arguments: [SIGKILL, SIGSEGV, SIGABRT, SIGTERM])
  func `A worker that terminates between runs is replaced transparently`(_ signal: Int32) throws {
    let rig = IsolatedRig()
    let model = try rig.model("digits")
    let expected = try scores(model)
    kill(rig.workers[0], signal)
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
    #expect(try scores(model) == expected)
    #expect(rig.workers.count == 2)
  }

  /// A session of a bundle in `Tests/Fixtures/TensorFlow`.
  private func session(_ name: String, _ rig: IsolatedRig) throws -> any Session {
    let bundle = try ModelBundle(
      at: ProjectFiles.path("Tests/Fixtures/TensorFlow/\(name).tiobundle"))
    return try bundle.load(for: .predict, on: rig.backend).makeSession(SessionOptions())
  }

  @Test func `Inputs filled before a crash are not used by the next run`() throws {
    let rig = IsolatedRig(.tensorFlow)
    let session = try session("signature-keys", rig)
    try session.fill(0, bytes: ([1, 2] as [Float]).rawBytes)
    kill(rig.workers[0], SIGKILL)
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
    #expect(failure { try session.resize([[2], [2]]) }?.code == "worker-crashed")
    try session.fill(1, bytes: ([3, 4] as [Float]).rawBytes)
    #expect(failure { try session.invoke() }?.code == "input-names")
  }

  @Test func `Discarded placeholders are not used by the next run`() throws {
    let session = try session("placeholders", IsolatedRig(.tensorFlow))
    try session.fill(1, bytes: ([3] as [Float]).rawBytes)
    session.abilities.discardInputs?()
    try session.fill(0, bytes: ([1, 2, 3, 4] as [Float]).rawBytes)
    #expect(failure { try session.invoke() }?.code == "input-names")
  }

  @Test func `A resize beyond the memory limit leaves the shapes unchanged`() throws {
    let session = try session("number-batch", IsolatedRig(.tensorFlow))
    try session.resize([[2, 1]])
    let error = failure { try session.resize([[Int(Int32.max), 1]]) }
    #expect(error?.reason == .unsupported("inputs of more than \(4 << 30) bytes"))
    try session.fill(0, bytes: ([1, 2] as [Float]).rawBytes)
    try session.invoke()
    #expect(try session.bytes().count == 8)
  }

  @Test func `Outputs remain readable after the worker has terminated`() throws {
    let rig = IsolatedRig()
    let model = try rig.backend.load(
      ModelFile(
        path: ProjectFiles.path("Tests/Fixtures/Models/double-float32.tflite"), name: "model"),
      for: ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict))
    let session = try model.makeSession(SessionOptions())
    try session.fill(0, bytes: ([1, 2, 3, 4] as [Float]).rawBytes)
    try session.invoke()
    kill(rig.workers[0], SIGKILL)
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
    #expect(try session.bytes().values(of: Float.self) == [2, 4, 6, 8])
    try session.fill(0, bytes: ([5, 6, 7, 8] as [Float]).rawBytes)
    try session.invoke()
    #expect(try session.bytes().values(of: Float.self) == [10, 12, 14, 16])
  }

  @Test func `A SavedModel that changed since the first worker loaded it is rejected`() throws {
    let folder = try TemporaryFolder()
    let source = ProjectFiles.path("Tests/Fixtures/TensorFlow/linear-regression.tiobundle")
    let path = try folder.copy(source, as: "linear-regression.tiobundle")
    let rig = IsolatedRig(.tensorFlow)
    let model = try Model(ModelBundle(at: path), on: rig.backend, options: .init(threads: 1))
    func output() throws -> [Float] { try model.run([1, 2] as [Float])["y"].value() }
    let expected = try output()
    kill(rig.workers[0], SIGKILL)
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
    #expect(try output() == expected, "an unchanged model is loaded again")
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    let variables = try #require(names.first { $0.contains("variables.data") })
    let file = URL(filePath: "\(path)/\(variables)")
    let bytes = try Data(contentsOf: file)
    try (bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]).write(to: file)
    #expect(try output() == expected, "the running worker does not read the files again")
    kill(rig.workers[1], SIGKILL)
    #expect(ProcessFacts.waitForEnd(rig.workers[1]))
    #expect(failure { _ = try output() }?.code == "bundle-changed")
  }

  /// Returns a timeout that only a stopped worker exceeds.
  private func timeout() throws -> Duration {
    try HangGuard.limit { _ = try scores(IsolatedRig().model("digits")) }
  }

  @Test func `A worker that is stopped times out, is killed and replaced`() throws {
    let timeout = try timeout()
    let rig = IsolatedRig(.liteRT, Isolation(timeout: timeout))
    let model = try rig.model("digits")
    let expected = try scores(model)
    kill(rig.workers[0], SIGSTOP)
    let error = failure { _ = try scores(model) }
    #expect(error?.stage == .run)
    #expect(error?.code == "worker-crashed")
    #expect(error?.message.contains("did not respond within \(timeout)") == true)
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
    #expect(try scores(model) == expected)
  }

  @Test(.hangGuard, arguments: [SIGKILL, SIGSEGV, SIGSTOP])
  func `Workers killed under load fail only the calls in flight`(_ signal: Int32) async throws {
    let rig = try IsolatedRig(
      .liteRT,
      Isolation(
        timeout: signal == SIGSTOP ? timeout() : HangGuard.step, maxCrashes: 10_000))
    let model = try rig.model("digits", sessions: 4)
    let expected = try scores(model)
    let load = WorkerLoad()
    async let failures = withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { await onNewThread { load.run { try scores(model) == expected } } }
      }
      return await group.reduce(0, +)
    }
    let killed = await onNewThread { load.killWorkers(of: rig, signal, count: 12) }
    let failed = await failures
    #expect(killed.count == 12 && failed <= 12)
    // A worker may have been stopped while it was idle, so that one more call fails.
    let recovered = (0..<5).lazy.compactMap { _ in try? scores(model) }.first
    #expect(recovered == expected)
  }

  @Test func `A model that crashes three workers is suspended`() throws {
    let rig = try IsolatedRig(
      .liteRT, Isolation(timeout: timeout(), crashWindow: .seconds(3600)))
    let model = try rig.model("digits")
    _ = try scores(model)
    for _ in 0..<3 {
      kill(try #require(rig.workers.last), SIGSTOP)
      #expect(failure { _ = try scores(model) }?.code == "worker-crashed")
      if rig.workers.count < 3 { _ = failure { _ = try scores(model) } }
    }
    let launched = rig.workers.count
    let error = failure { _ = try scores(model) }
    #expect(error?.code == "model-suspended")
    #expect(error?.stage == .run)
    #expect(failure { _ = try rig.model("digits") }?.code == "model-suspended")
    #expect(rig.workers.count == launched, "a suspended model starts no worker")
    // Other models are not affected.
    _ = try rig.model("diabetes")
  }

  @Test(.hangGuard) func `A suspended model runs again after the crash window`() throws {
    let rig = try IsolatedRig(
      .liteRT, Isolation(timeout: timeout(), maxCrashes: 1, crashWindow: .seconds(1)))
    let model = try rig.model("digits")
    let expected = try scores(model)
    kill(rig.workers[0], SIGSTOP)
    #expect(failure { _ = try scores(model) }?.code == "worker-crashed")
    var found: [UInt32] = []
    while let error = failure({ found = try scores(model) }) {
      #expect(error.code == "model-suspended")
      usleep(50_000)
    }
    #expect(found == expected)
  }

  @Test func `Eight threads get the same results as one`() async throws {
    let model = try IsolatedRig().model("digits", sessions: 3)
    let expected = try scores(model)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<50 {
            let found = try scores(model)
            #expect(found == expected)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// Calls that are made without a pause while workers are killed.
private final class WorkerLoad: Sendable {
  private let successes = Atomic(0)
  private let isOver = Atomic(false)

  /// Makes calls until the last worker has been killed; returns how many failed.
  func run(_ call: () throws -> Bool) -> Int {
    var failures = 0
    while !isOver.load(ordering: .acquiring) {
      var isExpected = false
      if let error = failure({ isExpected = try call() }) {
        #expect(error.code == "worker-crashed", "\(error)")
        failures += 1
      } else {
        #expect(isExpected)
        successes.wrappingAdd(1, ordering: .relaxed)
      }
    }
    return failures
  }

  /// Sends a signal to random workers, each after 100 ms and some successful calls; returns the workers.
  func killWorkers(of rig: IsolatedRig, _ signal: Int32, count: Int) -> Set<Int32> {
    defer { isOver.store(true, ordering: .releasing) }
    var killed: Set<Int32> = []
    while killed.count < count {
      usleep(100_000)
      let next = successes.load(ordering: .relaxed) + 20
      while successes.load(ordering: .relaxed) < next { usleep(1000) }
      let workers = rig.workers.filter { !killed.contains($0) && ProcessFacts.isAlive($0) }
      if let worker = workers.randomElement(), kill(worker, signal) == 0 { killed.insert(worker) }
    }
    return killed
  }
}
