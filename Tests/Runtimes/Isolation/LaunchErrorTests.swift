import TensorIOBundle
import TensorIOSystem
import Testing

@testable import TensorIOIsolation

/// Errors from launching worker processes.
@Suite struct LaunchErrorTests {
  @Test func `An error without /proc or /dev/null names it`() throws {
    let locator = WorkerExecutableLocator(option: nil, variable: nil, executable: nil)
    let search = #expect(throws: ModelError.self) { try locator.find() }
    #expect(search?.code == "worker-missing")
    #expect(search.map { "\($0)" }?.contains("/proc/self/exe") == true)
    let missing = WorkerClient.launchError(.notFound, "/p/worker", nullDevice: "/missing/null")
    #expect(missing.code == "worker-missing")
    #expect("\(missing)".contains("/missing/null does not exist"))
    let other = WorkerClient.launchError(.notFound, "/p/worker")
    #expect("\(other)".contains("/p/worker") && !"\(other)".contains("/dev/null"))
  }
}
