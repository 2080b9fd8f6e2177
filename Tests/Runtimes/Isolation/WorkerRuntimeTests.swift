import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOIsolation

/// The runtime that a worker process opens, without a process.
@Suite struct WorkerRuntimeTests {
  private static let name = BackendIdentifier(rawValue: "own")
  private static let tensor = TensorInfo(name: "x", elementType: .float32, shape: [1])

  /// A runtime that names its model after the bytes or the path that it was loaded from.
  private struct OwnBackend: IsolatableBackend {
    let identifier = WorkerRuntimeTests.name
    let settings: RuntimeSettings
    let prepared: Counter

    func prepareForIsolation() throws(ModelError) { prepared.increment() }

    func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
      FakeModel(inputs: [], outputs: [TensorInfo(name: file.path, elementType: .int8, shape: [1])])
      { $0 }
    }

    func load(
      _ bytes: [UInt8], of file: ModelFile, for use: ModelBinding
    ) throws(ModelError) -> any RuntimeModel {
      FakeModel(
        inputs: [], outputs: [TensorInfo(name: "\(bytes)", elementType: .int8, shape: [1])]
      ) { $0 }
    }
  }

  private func configuration(
    _ backend: BackendIdentifier = WorkerRuntimeTests.name, _ level: Isolation.Level = .process
  ) -> WorkerConfiguration {
    WorkerConfiguration(
      backend: backend, library: "/library", trustsGraphs: true, memoryLimit: 0,
      processorSeconds: 0, level: level, readableFolder: nil)
  }

  private func request(byteCount: Int?) -> LoadRequest {
    let binding = ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict)
    return LoadRequest(
      path: "/model", name: "model", byteCount: byteCount, modelUse: WorkerModelUse(binding))
  }

  @Test(arguments: Isolation.Level.allCases)
  func `A registered runtime is prepared and loads from bytes or a path`(
    _ level: Isolation.Level
  ) throws {
    let (prepared, canWrite) = (Counter(), Counter())
    let runtime = RuntimeDescriptor(ModelFormat(Self.name, files: []), displayName: "Own") {
      if $0.canWriteFiles { canWrite.increment() }
      #expect($0.library == "/library" && $0.trustsGraphs)
      return OwnBackend(settings: $0, prepared: prepared)
    }
    let worker = try WorkerRuntime(configuration(Self.name, level), among: [runtime])
    #expect(prepared.value == 1)
    #expect(canWrite.value == (level == .sandbox ? 0 : 1))
    let memory = try #require(SharedMemory(readOnly: [1, 2]))
    let mapping = try #require(FileMapping(memory.descriptor, byteCount: 2))
    #expect(FileMapping(memory.descriptor, byteCount: 3) == nil)
    let fromBytes = try worker.load(request(byteCount: 2), mapping)
    #expect(fromBytes.signature.outputs.map(\.name) == ["[1, 2]"])
    let fromPath = try worker.load(request(byteCount: nil), nil)
    #expect(fromPath.signature.outputs.map(\.name) == ["/model"])
  }

  @Test func `An unknown runtime, or one that cannot be isolated, is an error`() {
    let plain = RuntimeDescriptor(.tflite, displayName: "Plain") { _ in
      FakeBackend(.identity(Self.tensor))
    }
    #expect(throws: ModelError(.runtime, .unknownBackend(Self.name, known: [.tflite]))) {
      _ = try WorkerRuntime(configuration(), among: [plain])
    }
    #expect(throws: ModelError.unsupportedIsolation(of: plain)) {
      _ = try WorkerRuntime(configuration(.tflite), among: [plain])
    }
  }

  @Test func `A model of several files is read from its folder`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([1, 2, 3], to: "model.own")
    let file = ModelFile(path: path, name: "model.own")
    let use = ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict)
    let contents = try WorkerModelSource(file, use, .contents)
    #expect(contents.readableFolder == nil && contents.loadRequest.byteCount == 3)
    let inFolder = try WorkerModelSource(file, use, .parentFolder)
    #expect(inFolder.readableFolder == folder.path && inFolder.bytes == nil)
    try inFolder.requireUnchanged()
    try folder.write([1], to: "weights.data")
    #expect(throws: ModelError(.bundle, .bundleChanged, file: path)) {
      try inFolder.requireUnchanged()
    }
  }
}
