import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOONNX
import TensorIORuntimeConformance
import TensorIORuntimes
import TensorIOTensorFlow
import TensorIOTestSupport
import Testing

private let isTensorFlowAvailable = (try? TensorFlowBackend().locateLibrary()) != nil

/// The conformance suite over the built-in runtimes, in this process and in workers.
@Suite(.ownThreads) struct RuntimeConformanceTests {
  private func check(_ bundle: ConformanceBundle, _ backend: any Backend) throws {
    let folder = try TemporaryFolder()
    let report = ConformanceSuite(backend).check(try bundle.model(in: folder))
    #expect(report.isConforming, "\(report)")
    let missing = bundle.required.subtracting(report.passed).map(\.rawValue).sorted()
    #expect(missing.isEmpty, "not passed: \(missing)")
    #expect(report.results.count == ConformanceCheck.allCases.count)
  }

  @Test(arguments: ConformanceBundle.liteRT) func `LiteRT conforms`(
    _ bundle: ConformanceBundle
  ) throws { try check(bundle, LiteRTBackend()) }

  @Test(arguments: ConformanceBundle.onnx) func `ONNX Runtime conforms`(
    _ bundle: ConformanceBundle
  ) throws { try check(bundle, ONNXBackend()) }

  @Test(.enabled(if: isTensorFlowAvailable), arguments: ConformanceBundle.tensorFlow)
  func `TensorFlow conforms`(_ bundle: ConformanceBundle) throws {
    try check(bundle, TensorFlowBackend())
  }

  @Test(
    arguments: [
      ("float32", RuntimeDescriptor.liteRT), ("history", .liteRT), ("strings", .onnxRuntime),
      ("linear-batch", .onnxRuntime),
    ])
  func `Runtimes in worker processes conform`(
    _ name: String, _ runtime: RuntimeDescriptor
  ) throws {
    let all = ConformanceBundle.liteRT + ConformanceBundle.onnx
    let bundle = try #require(
      all.first { $0.name == name && $0.backend == runtime.identifier })
    try check(bundle, IsolatedBackend(runtime, isolation: Isolation()))
  }
}
