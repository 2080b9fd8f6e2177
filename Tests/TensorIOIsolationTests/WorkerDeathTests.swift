import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Workers that end, or do not answer, in every way: the call fails, the program and the next call do not.
@Suite struct WorkerDeathTests {
  static let input: [Float] = Array(repeating: 0.5, count: 64)
  static let picture = ProjectFiles.path("Examples/Bundles/digits.tiobundle/samples/0-1.png")

  private func scores(_ model: Model) throws -> [UInt32] {
    let output = try model.run(ImageBuffer(contentsOf: Self.picture))
    let scores: [Float] = try output["classification"].value()
    return scores.map(\.bitPattern)
  }

  @Test(arguments: [SIGKILL, SIGSEGV, SIGABRT, SIGTERM])
  func `a worker that ends between runs is replaced unseen`(_ signal: Int32) throws {
    let rig = IsolatedRig()
    let model = try rig.model("digits")
    let expected = try scores(model)
    kill(rig.workers[0], signal)
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
    #expect(try scores(model) == expected)
    #expect(rig.workers.count == 2)
  }

  @Test func `a worker that would read another SavedModel than the first is not used`() throws {
    let folder = try TemporaryFolder()
    let source = ProjectFiles.path("Tests/Fixtures/TensorFlow/linear-regression.tiobundle")
    let path = try folder.copy(source, as: "linear-regression.tiobundle")
    let rig = IsolatedRig(.tensorflow)
    let model = try Model(ModelBundle(at: path), on: rig.backend, options: .init(threads: 1))
    func answer() throws -> [Float] { try model.run([1, 2] as [Float])["y"].value() }
    let expected = try answer()
    kill(rig.workers[0], SIGKILL)
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
    #expect(try answer() == expected, "what has not changed is read again")
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    let variables = try #require(names.first { $0.contains("variables.data") })
    let file = URL(filePath: "\(path)/\(variables)")
    let bytes = try Data(contentsOf: file)
    try (bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]).write(to: file)
    #expect(try answer() == expected, "the worker has read what it needs")
    kill(rig.workers[1], SIGKILL)
    #expect(ProcessFacts.waitForEnd(rig.workers[1]))
    #expect(failure { _ = try answer() }?.code == "exchanged-bundle")
  }

  @Test func `a worker that is stopped is late, ended and replaced`() throws {
    let rig = IsolatedRig(.tflite, Isolation(timeout: .milliseconds(500)))
    let model = try rig.model("digits")
    let expected = try scores(model)
    kill(rig.workers[0], SIGSTOP)
    let start = ContinuousClock.now
    let error = failure { _ = try scores(model) }
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(error?.stage == .run)
    #expect(error?.code == "worker-lost")
    #expect(error?.message.contains("did not answer") == true)
    #expect(ProcessFacts.waitForEnd(rig.workers[0]))
    #expect(try scores(model) == expected)
  }

  @Test(.timeLimit(.minutes(2)), arguments: [SIGKILL, SIGSEGV, SIGSTOP])
  func `workers killed under four threads cost the calls in flight and no more`(
    _ signal: Int32
  ) async throws {
    let rig = IsolatedRig(
      .tflite, Isolation(timeout: .milliseconds(1000), maxCrashes: 10_000))
    let model = try rig.model("digits", sessions: 4)
    let expected = try scores(model)
    let killer = Task.detached {
      for _ in 0..<12 {
        try await Task.sleep(for: .milliseconds(100))
        if let worker = rig.workers.filter(ProcessFacts.isAlive).randomElement() {
          kill(worker, signal)
        }
      }
    }
    let failures = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var failures = 0
          let end = ContinuousClock.now + .seconds(2)
          while ContinuousClock.now < end {
            var found: [UInt32] = []
            if let error = failure({ found = try scores(model) }) {
              #expect(error.code == "worker-lost", "\(error)")
              failures += 1
            } else {
              #expect(found == expected)
            }
          }
          return failures
        }
      }
      return try await group.reduce(0, +)
    }
    try await killer.value
    #expect(failures <= 12)
    // A worker may have been stopped while nobody asked it anything.
    let after = (0..<5).lazy.compactMap { _ in try? scores(model) }.first
    #expect(after == expected)
  }

  @Test func `a model that ends three workers is put aside for a while`() throws {
    let rig = IsolatedRig(
      .tflite, Isolation(timeout: .milliseconds(300), crashWindow: .seconds(3)))
    let model = try rig.model("digits")
    let expected = try scores(model)
    for _ in 0..<3 {
      kill(try #require(rig.workers.last), SIGSTOP)
      #expect(failure { _ = try scores(model) }?.code == "worker-lost")
      if rig.workers.count < 3 { _ = failure { _ = try scores(model) } }
    }
    let start = ContinuousClock.now
    let error = failure { _ = try scores(model) }
    #expect(error?.code == "put-aside")
    #expect(error?.stage == .run)
    #expect(ContinuousClock.now - start < .milliseconds(50))
    #expect(failure { _ = try rig.model("digits") }?.code == "put-aside")
    // Others are not concerned.
    _ = try rig.model("diabetes")
    usleep(3_200_000)
    #expect(try scores(model) == expected)
  }

  @Test func `eight threads get the bits that one gets`() async throws {
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
