import Foundation
import TensorIOTestSupport
import Testing

/// `--isolated` on the command line.
@Suite struct IsolatedCommandTests {
  static let bundle = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")

  @Test(.timeLimit(.minutes(1)))
  func `a worker ends with a command that is killed`() throws {
    let words = ["run", Self.bundle, "--batch", "-", "--isolated"]
    let process = try Executable().start(words)
    var found: [Int32] = []
    while process.isRunning, found.isEmpty {
      found = try ProcessFigures(process.id).workers
      usleep(10_000)
    }
    let worker = try #require(found.first)
    process.kill()
    _ = process.wait()
    while kill(worker, 0) == 0 { usleep(10_000) }
  }

  @Test func `a worker that is not there is told with the exit of a missing runtime`() throws {
    let executable = Executable(environment: ["TENSORIO_WORKER": "/nowhere"])
    let outcome = try executable.run(["run", Self.bundle, "--isolated"])
    #expect(outcome.exitCode == 5)
    #expect(outcome.messages.contains("TENSORIO_WORKER"))
  }

  @Test func `a worker that ends is the exit of a failed run`() throws {
    let executable = Executable(environment: ["TENSORIO_WORKER": "/bin/true"])
    #expect(try executable.run(["run", Self.bundle, "--isolated"]).exitCode == 6)
  }
}
