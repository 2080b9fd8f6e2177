import TensorIOBundle
import TensorIOSystem
import Testing

@testable import TensorIOIsolation

/// The errors of launching worker processes and of waiting for them.
@Suite struct WorkerErrorTests {
  @Test(arguments: [
    (FileError.notFound, "worker-missing", "not found"),
    (.system(EACCES), "worker-not-launched", "not an executable file"),
    (.system(ENOEXEC), "worker-not-launched", "not an executable file"),
    (.system(EAGAIN), "worker-not-launched", "retry later"),
    (.system(EMFILE), "worker-not-launched", "retry later"),
    (.system(E2BIG), "worker-not-launched", "cannot be launched"),
  ])
  func `A launch error names its cause`(_ error: FileError, _ code: String, _ text: String) {
    let error = WorkerClient.launchError(error, "/opt/tensorio-worker")
    #expect(error.code == code && error.stage == .runtime)
    #expect(error.message.contains(text) && error.message.contains("/opt/tensorio-worker"))
  }

  @Test func `An error of waiting is not a timeout`() throws {
    #expect(throws: ChannelError.timedOut) { try MessageChannel.isReady(0, code: 0) }
    #expect(throws: ChannelError.system(ENOMEM)) { try MessageChannel.isReady(-1, code: ENOMEM) }
    #expect(try MessageChannel.isReady(1, code: 0))
    #expect(try !MessageChannel.isReady(-1, code: EINTR))
  }
}
