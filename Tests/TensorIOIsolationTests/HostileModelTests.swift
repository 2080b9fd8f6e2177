import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// Models that kill or hang the runtime: through a worker, each is answered or refused in time.
///
/// `TENSORIO_ALL_HOSTILE=1` takes all of them; without it, every fourth.
@Suite(.enabled(if: SharedFixtures.areAvailable), .serialized) struct HostileModelTests {
  static let all = SharedFixtures.entries(of: "hostile/tflite", suffix: ".tflite")
  static let models: [String] = {
    let isWhole = ProcessInfo.processInfo.environment["TENSORIO_ALL_HOSTILE"] != nil
    return all.enumerated().filter { isWhole || $0.offset % 4 == 0 }.map(\.element)
  }()

  @Test(.timeLimit(.minutes(5))) func `none ends this process, none takes long`() throws {
    let backend = IsolatedBackend(
      .tflite, isolation: Isolation(timeout: .milliseconds(1500), maxCrashes: 1000))
    let use = ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict)
    var codes: [String: Int] = [:]
    var longest = Duration.zero
    for path in Self.models {
      let start = ContinuousClock.now
      let error = failure {
        let model = try backend.load(ModelFile(path: path, name: "model"), for: use)
        let session = try model.makeSession(SessionOptions())
        for (index, input) in model.signature.inputs.enumerated() {
          guard input.elementType != .string else { continue }
          try session.fill(index) { _ in }
        }
        try session.invoke()
      }
      let time = ContinuousClock.now - start
      #expect(time < .seconds(5), "\(path)")
      longest = max(longest, time)
      codes[error?.code ?? "answered", default: 0] += 1
    }
    print("hostile models: \(Self.models.count), longest \(longest), \(codes)")
    SharedFixtures.report("hostile", Self.models.count)
    // They are refused before the runtime sees them, or else end a worker.
    #expect(codes["answered"] == nil)
  }
}
