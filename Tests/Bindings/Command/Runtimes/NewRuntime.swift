import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport

/// A runtime that only tests register.
struct NewRuntime: Backend {
  static let name = BackendIdentifier(rawValue: "new")
  static let library = RuntimeLibrarySpecification(
    backend: name, name: "new", displayName: "New Runtime", libraryFileName: "libnew.so.1",
    environmentVariable: "TENSORIO_NEW_LIBRARY", version: "1.0",
    wheels: [
      RuntimeWheel(
        architecture: .current, package: "new-runtime", version: "1.0", pythonVersion: "3.11",
        abi: "cp311", platform: "manylinux", sha256: "", libraries: ["new/libnew.so.1"],
        byteCount: 1)
    ])
  static let descriptor = RuntimeDescriptor(
    ModelFormat(name, files: [.file(extension: "new")]), displayName: "New Runtime",
    library: library, isolation: WorkerRequirements()
  ) { NewRuntime(settings: $0) }

  let identifier = BackendIdentifier(rawValue: "new")
  let settings: RuntimeSettings

  private static let model = FakeModel.identity(
    TensorInfo(name: "x", elementType: .float32, shape: [1, 3]))

  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    Self.model
  }
}

extension NewRuntime: LibraryBackend {
  /// Finds the library only at the path in the settings.
  func locateLibrary() throws(ModelError) -> RuntimeLibraryCandidate {
    let search = RuntimeLibrarySearch(
      for: Self.library, explicitPath: settings.library, environment: [:])
    return try search.open { path in
      path == settings.library ? .opened(()) : .failed("not the path in the settings")
    }.candidate
  }
}

extension NewRuntime: DraftingBackend {
  func bareModel(at file: ModelFile) throws(ModelError) -> BareModel {
    var bare = BareModel(Self.model)
    var metadata = ModelMetadata()
    metadata.author = "the author"
    bare.metadata = metadata
    return bare
  }

  func embeddedLabels(
    in file: ModelFile, _ metadata: ModelMetadata?
  ) throws(OperationError) -> EmbeddedLabels? {
    EmbeddedLabels(["a", "b", "c"], source: "names")
  }
}
