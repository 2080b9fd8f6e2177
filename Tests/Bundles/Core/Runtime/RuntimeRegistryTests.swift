import Foundation
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct RuntimeRegistryTests {
  private static let name = BackendIdentifier(rawValue: "own")

  private static func runtime(_ displayName: String, _ created: Counter) -> RuntimeDescriptor {
    RuntimeDescriptor(
      ModelFormat(name, files: [.file(extension: "own")]), displayName: displayName
    ) { _ in
      created.increment()
      return FakeBackend(.identity(TensorInfo(name: "x", elementType: .float32, shape: [1])))
    }
  }

  private func bundle() throws -> TestBundle {
    let one = #""type": "array", "shape": [1]"#
    return try TestBundle(
      inputs: #"{"name": "x", \#(one)}"#, outputs: #"{"name": "y", \#(one)}"#,
      model: #""file": "model.own", "quantized": false, "backend": "own""#)
  }

  @Test func `A runtime is created once, and another with its identifier replaces it`() {
    let (registry, created) = (RuntimeRegistry(), Counter())
    registry.register(Self.runtime("first", created))
    #expect(created.value == 1)
    _ = (registry.backends, registry.backends)
    #expect(created.value == 1)
    registry.register(Self.runtime("second", created))
    #expect(registry.runtimes.map(\.displayName) == ["second"])
    #expect(registry.identifiers == [Self.name])
  }

  @Test func `A bundle may name a registered runtime`() throws {
    let registry = RuntimeRegistry()
    let source = try bundle()
    let path = source.path
    #expect(throws: ModelError.self) {
      try ModelBundle(at: path, options: OpeningOptions(runtimes: registry))
    }
    registry.register(Self.runtime("own", Counter()))
    let bundle = try ModelBundle(at: path, options: OpeningOptions(runtimes: registry))
    #expect(bundle.backend == Self.name)
  }

  @Test func `A model's runtime is recognized by its extension or marker, else by its kind`() throws
  {
    let folder = try TemporaryFolder()
    let own = Self.runtime("own", Counter())
    let tflite = RuntimeDescriptor(.tflite, displayName: "LiteRT") { _ in FakeBackend.none }
    let tensorflow = RuntimeDescriptor(.tensorflow, displayName: "TensorFlow") { _ in
      FakeBackend.none
    }
    let runtimes = [tflite, tensorflow, own]
    let cases = [
      (try folder.write("", to: "a.own"), false, Self.name),
      (try folder.write("", to: "a.OWN"), false, Self.name),
      (try folder.write("", to: "a.tflite"), false, .tflite),
      (try folder.write("", to: "a.bin"), false, .tflite),
      (folder.path + "/missing.own", false, .tflite), (folder.path, true, .tensorflow),
    ]
    for (path, isFolder, backend) in cases {
      #expect(runtimes.runtime(forModelAt: path, isFolder: isFolder)?.identifier == backend)
    }
    try folder.write("", to: "saved/saved_model.pb")
    #expect(
      runtimes.reversed().runtime(forModelAt: folder.path + "/saved", isFolder: true)?.identifier
        == .tensorflow)
    #expect([own].runtime(forModelAt: folder.path, isFolder: true) == nil)
    #expect(throws: ModelError(.runtime, .unknownBackend(Self.name, known: [.tflite]))) {
      try [tflite].runtime(Self.name)
    }
  }

  @Test func `The default memory limit grows with the model and the threads`() {
    let requirements = WorkerRequirements(
      baseMemory: 100, memoryPerModelByte: 3, memoryPerThread: 1000)
    #expect(requirements.memoryLimit(modelByteCount: 10, threads: 2) == 2130)
    #expect(
      WorkerRequirements().memoryLimit(modelByteCount: 1 << 20, threads: 4)
        == (2 << 30) + (8 << 20) + (512 << 20))
  }
}

extension FakeBackend {
  fileprivate static var none: FakeBackend {
    FakeBackend(FakeModel.identity(TensorInfo(name: "x", elementType: .float32, shape: [1])))
  }
}
