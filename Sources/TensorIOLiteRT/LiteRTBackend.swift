public import TensorIOBundle
public import TensorIOCore

/// LiteRT, which runs TensorFlow Lite models on the CPU.
///
/// Its library is not linked but found and opened when the first model is loaded; see
/// `RuntimeLibrarySearch` for where. A backend is a value that can be copied and shared freely: all
/// copies use one opened library and one environment.
public struct LiteRTBackend: Backend {
  /// The word by which `model.json` asks for it.
  public let identifier = BackendIdentifier.tflite
  /// Where the library is looked for.
  public let search: RuntimeLibrarySearch
  /// Where weights are kept as the runtime arranges them; `nil` keeps none.
  public let weightCache: WeightCache?

  private let loadedLibrary = LazyResource<LoadedLibrary>()

  /// LiteRT from its usual places, or from the given library only.
  public init(
    library: String? = nil, environment: [String: String]? = nil, weightCache: WeightCache? = nil
  ) {
    self.weightCache = weightCache
    search = RuntimeLibrarySearch(for: .liteRT, explicitPath: library, environment: environment)
  }

  /// Loads a `.tflite` file.
  ///
  /// Its tensors are found by their order, whatever they are called and wanted for.
  public func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    try model(at: file)
  }

  /// Loads a `.tflite` file, as the type that knows what LiteRT alone can tell.
  public func model(at file: ModelFile) throws(ModelError) -> LiteRTModel {
    let bytes = try ModelBytes(file)
    let environment = try loadLibrary().environment
    do {
      return try LiteRTModel(bytes, in: environment)
    } catch {
      throw error.in(file: file.path)
    }
  }

  /// Loads a model from the bytes of a `.tflite` file.
  public func model(bytes: [UInt8]) throws(ModelError) -> LiteRTModel {
    try LiteRTModel(ModelBytes(bytes), in: loadLibrary().environment)
  }

  /// Opens the library without a model, to see whether and where it is found.
  public func locateLibrary() throws(ModelError) -> RuntimeLibraryCandidate {
    try loadLibrary().candidate
  }

  private typealias LoadedLibrary = (environment: LiteRTEnvironment, candidate: RuntimeLibraryCandidate)

  private func loadLibrary() throws(ModelError) -> LoadedLibrary {
    try loadedLibrary.getOrOpen { () throws(ModelError) in
      let (library, candidate) = try search.open(LiteRTLibrary.open)
      return (try LiteRTEnvironment(library, weightCache), candidate)
    }
  }
}

extension RuntimeLibrarySpecification {
  /// LiteRT's library and the packages that hold it.
  public static let liteRT = RuntimeLibrarySpecification(
    backend: .tflite, name: "litert", displayName: "LiteRT", libraryFileName: libraryFile,
    environmentVariable: "TENSORIO_LITERT_LIBRARY", version: version,
    wheels: [
      wheel(
        .x86_64, platform: "manylinux_2_27_x86_64",
        sha256: "1f15078a6725d2357d9de9221664c29afa0545d807559c5f7199ce5e40b96b23",
        byteCount: 21_778_233),
      wheel(
        .aarch64, platform: "manylinux_2_27_aarch64",
        sha256: "853fc608f96da87bd5f3458465dfb9abbf18d5ae6b94eceacead407146f175ae",
        byteCount: 14_379_387),
    ])

  private static let version = "2.3.0"

  #if canImport(Darwin)
    private static let libraryFile = "libLiteRt.dylib"
  #else
    private static let libraryFile = "libLiteRt.so"
  #endif

  private static func wheel(
    _ architecture: CPUArchitecture, platform: String, sha256: String,
    byteCount: Int
  ) -> RuntimeWheel {
    RuntimeWheel(
      architecture: architecture, package: "ai-edge-litert", version: version,
      pythonVersion: "3.11", abi: "cp311", platform: platform, sha256: sha256,
      libraries: ["ai_edge_litert/libLiteRt.so"], byteCount: byteCount)
  }
}
