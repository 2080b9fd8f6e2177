import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOONNX
import TensorIOTestSupport
import Testing

/// ONNX Runtime 1.29 and later, which by default writes a database, starts a thread and sends data.
///
/// `TENSORIO_NEWER_ONNX_LIBRARY` is the path of such a library.
@Suite(.ownThreads) struct ONNXTelemetryTests {
  private static let newer = ProcessInfo.processInfo.environment["TENSORIO_NEWER_ONNX_LIBRARY"]

  /// The threads and descriptors of a process that has run a model.
  private struct Facts: Equatable {
    var threads: Int
    var sockets: Int
    /// Other descriptors than sockets, pipes and shared memory.
    var files: Set<String>
  }

  private func facts(_ library: String?) throws -> Facts {
    let file = ModelFile(
      path: ProjectFiles.path("Tests/Fixtures/ONNX/linear-one.onnx"), name: "linear-one.onnx")
    let layer = { (name: String, count: Int) in
      Layer(name: name, kind: .array(NumericLayer(shape: [1, count])))
    }
    let description = ModelDescription(inputs: [layer("x", 4)], outputs: [layer("y", 3)])
    let rig = IsolatedRig(.onnxRuntime, settings: RuntimeSettings(library: library))
    let model = try rig.backend.load(
      file, for: ModelBinding(description, mode: .predict, threads: 1))
    let session = try model.makeSession(SessionOptions())
    try session.fill(0) { (_) throws(ModelError) in }
    try session.invoke()
    let worker = try #require(rig.workers.last)
    let targets = try ProcessFacts.descriptors(worker).values
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker)/task")
    let environment = try ProcessFacts.environment(worker)
    #expect(!environment.contains { $0.hasPrefix("ORT_DISABLE_TELEMETRY") })
    return Facts(
      threads: threads.count, sockets: targets.count { $0.hasPrefix("socket:") },
      files: Set(targets.filter { $0.hasPrefix("/") && !$0.hasPrefix("/memfd:") }))
  }

  @Test(
    .enabled(
      if: newer != nil, "TENSORIO_NEWER_ONNX_LIBRARY does not name ONNX Runtime 1.29 or later"))
  func `A library that reports its use opens no socket, no file and starts no thread`() throws {
    let expected = try facts(nil)
    #expect(expected.threads >= 1 && expected.sockets >= 1)
    #expect(try facts(Self.newer) == expected)
  }
}
