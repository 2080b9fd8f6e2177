import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// Models that crash or hang the runtime, in workers.
///
/// `TENSORIO_ALL_HOSTILE=1` tests all of them; by default every fourth is tested.
@Suite(.enabled(if: SharedFixtures.areAvailable), .serialized, .ownThreads) struct HostileModelTests
{
  static let all = SharedFixtures.entries(of: "hostile/tflite", suffix: ".tflite")
  static let models: [String] = {
    let testsAll = ProcessInfo.processInfo.environment["TENSORIO_ALL_HOSTILE"] != nil
    return all.enumerated().filter { testsAll || $0.offset % 4 == 0 }.map(\.element)
  }()

  @Test(.hangGuard) func `No hostile model crashes this process or takes long`() throws {
    let backend = IsolatedBackend(
      .tflite, isolation: Isolation(timeout: .milliseconds(1500), maxCrashes: 1000))
    let use = ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict)
    var codes: [String: Int] = [:]
    var longest = Duration.zero
    for path in Self.models {
      var error: ModelError?
      // Waiting for a worker ends at the isolation's timeout.
      let time = ThreadTime.measure {
        error = failure {
          let model = try backend.load(ModelFile(path: path, name: "model"), for: use)
          let session = try model.makeSession(SessionOptions())
          for (index, input) in model.signature.inputs.enumerated() {
            guard input.elementType != .string else { continue }
            try session.fill(index) { _ in }
          }
          try session.invoke()
        }
      }
      #expect(time < .seconds(5), "\(path)")
      longest = max(longest, time)
      codes[error?.code ?? "succeeded", default: 0] += 1
    }
    print("hostile models: \(Self.models.count), longest \(longest) of processor time, \(codes)")
    SharedFixtures.report("hostile", Self.models.count)
    // Each is rejected by the validator or crashes its worker.
    #expect(codes["succeeded"] == nil)
  }
}
