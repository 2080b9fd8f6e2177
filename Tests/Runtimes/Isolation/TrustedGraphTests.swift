import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOSystem
import TensorIOTensorFlow
import TensorIOTestSupport
import Testing

private let isolation = Isolation(level: .sandbox, timeout: HangGuard.step, maxCrashes: 1000)
private let isSandboxAvailable =
  (try? IsolatedBackend(.tensorFlow, isolation: isolation).checkAvailability()) != nil

/// Malicious graphs that are loaded without a review, in a sandbox.
///
/// `Scripts/check/deep sandbox` also checks every system call of their workers.
@Suite(.enabled(if: isSandboxAvailable), .serialized, .ownThreads) struct TrustedGraphTests {
  private static let written = "/tmp/tensorio-hostile-model-was-here"
  static let graphs = ProjectFiles.entries(of: "Tests/Fixtures/TensorFlow/hostile")
    .filter { FileManager.default.fileExists(atPath: $0 + "/saved_model.pb") }

  @Test(arguments: graphs) func `A malicious graph changes nothing outside its sandbox`(
    _ path: String
  ) throws {
    let backend = IsolatedBackend(
      .tensorFlow, settings: RuntimeSettings(trustsGraphs: true), isolation: isolation)
    let before = try Self.state(of: path)
    let error = failure { try Self.run(path, on: backend) }
    print("sandboxed: \((path as NSString).lastPathComponent): \(error?.code ?? "answered")")
    #expect(!FileManager.default.fileExists(atPath: Self.written))
    #expect(try Self.state(of: path) == before)
  }

  private static func run(_ path: String, on backend: IsolatedBackend) throws {
    let layers = ["x", "y"].map { name in
      Layer(name: name, kind: .array(NumericLayer(shape: TensorShape(signedDimensions: [2]))))
    }
    let description = ModelDescription(inputs: [layers[0]], outputs: [layers[1]])
    let model = try backend.load(
      ModelFile(path: path, name: "model"), for: ModelBinding(description, mode: .predict))
    let session = try model.makeSession(SessionOptions())
    try session.fill(0) { _ in }
    try session.invoke()
  }

  /// Returns the identities of all files in a folder.
  private static func state(of folder: String) throws -> [String: String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, FileIdentity(folder + "/" + $0)?.key ?? "gone")
      })
  }
}
