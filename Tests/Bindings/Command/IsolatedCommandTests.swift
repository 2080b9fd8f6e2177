import Foundation
import TensorIOTestSupport
import Testing

/// The option `--isolation process`.
@Suite(.ownThreads) struct IsolatedCommandTests {
  static let bundle = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")

  @Test(.hangGuard)
  func `A worker process ends when its command is killed`() throws {
    let words = ["run", Self.bundle, "--input-file", "-", "--isolation", "process"]
    let process = try Executable().start(words)
    var workers: [Int32] = []
    while process.isRunning, workers.isEmpty {
      workers = try ProcessStatistics(process.id).workers
      usleep(10_000)
    }
    let worker = try #require(workers.first)
    process.kill()
    _ = process.wait()
    while kill(worker, 0) == 0 { usleep(10_000) }
  }

  @Test func `A missing worker program exits like a missing runtime`() throws {
    let executable = Executable(environment: ["TENSORIO_WORKER": "/nowhere"])
    let outcome = try executable.run(["run", Self.bundle, "--isolation", "process"])
    #expect(outcome.exitCode == 5)
    #expect(outcome.messages.contains("TENSORIO_WORKER"))
  }

  @Test func `A crashed worker process exits like a failed run`() throws {
    let executable = Executable(environment: ["TENSORIO_WORKER": "/bin/true"])
    #expect(try executable.run(["run", Self.bundle, "--isolation", "process"]).exitCode == 6)
  }
}
