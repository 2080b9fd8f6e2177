import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// Models that crash or hang the runtime, in workers.
///
/// `TENSORIO_ALL_HOSTILE=1` tests all of them; by default every fourth is tested.
@Suite(.serialized, .ownThreads) struct HostileModelTests {
  private static let testsAll = Platform.environment("TENSORIO_ALL_HOSTILE") != nil

  private static func sample<Model>(_ models: [Model]) -> [Model] {
    models.enumerated().filter { testsAll || $0.offset % 4 == 0 }.map(\.element)
  }

  /// The paths of the models; those of the project are written into a folder.
  private static func models(_ folder: TemporaryFolder) throws -> [String] {
    let damaged = sample(DamagedModel.all)
    let published = sample(SharedFixtures.entries(of: "hostile/tflite", suffix: ".tflite"))
    CaseCount.report("hostile", project: damaged.count, shared: published.count)
    return try damaged.enumerated().map { number, model in
      try folder.write(try model.bytes(), to: "\(number).tflite")
    } + published
  }

  @Test(.hangGuard) func `No hostile model crashes this process or takes long`() throws {
    let folder = try TemporaryFolder()
    let models = try Self.models(folder)
    let backend = IsolatedBackend(
      .liteRT, isolation: Isolation(timeout: .milliseconds(1500), maxCrashes: 1000))
    let use = ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict)
    var codes: [String: Int] = [:]
    var longest = Duration.zero
    for path in models {
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
    print("hostile models: \(models.count), longest \(longest) of processor time, \(codes)")
    // Each is rejected by the validator or crashes its worker.
    #expect(codes["succeeded"] == nil)
  }
}
