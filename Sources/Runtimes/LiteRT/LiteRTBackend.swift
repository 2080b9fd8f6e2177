public import TensorIOBundle
public import TensorIOCore

/// The backend that runs TensorFlow Lite models on the CPU with LiteRT.
///
/// The LiteRT library is not linked. It is located and opened when the first model is loaded; see
/// `RuntimeLibrarySearch` for the search order. Copies of a backend share the open library and its
/// environment.
public struct LiteRTBackend: Backend {
  /// The backend's name in `model.json`.
  public let identifier = BackendIdentifier.tflite
  /// The search for the library.
  package let search: RuntimeLibrarySearch
  /// The search for the library that runs models on a GPU.
  private let gpuSearch: RuntimeLibrarySearch
  /// The cache for the weights in the runtime's memory layout, or `nil` for no caching.
  public let weightCache: WeightCache?
  /// The application's own operators, in addition to the built-in ones.
  public let customOperators: CustomOperatorRegistry

  /// The hardware that runs models.
  package let accelerator: Accelerator

  private let loadedLibrary = LazyResource<LoadedLibrary>()

  /// Creates a LiteRT backend.
  ///
  /// - Parameters:
  ///   - library: The path of the library; `nil` searches the default locations.
  ///   - environment: The environment variables that configure the search; `nil` uses those of
  ///     the process.
  ///   - weightCache: The cache for packed weights; `nil` disables it.
  ///   - customOperators: The application's own operators.
  public init(
    library: String? = nil, environment: [String: String]? = nil, weightCache: WeightCache? = nil,
    customOperators: CustomOperatorRegistry = .shared
  ) {
    self.init(
      library: library, environment: environment, weightCache: weightCache,
      customOperators: customOperators, accelerator: .cpu)
  }

  /// Creates a LiteRT backend for some hardware.
  package init(
    library: String? = nil, environment: [String: String]? = nil, weightCache: WeightCache? = nil,
    customOperators: CustomOperatorRegistry = .shared, accelerator: Accelerator
  ) {
    self.accelerator = accelerator
    self.weightCache = weightCache
    self.customOperators = customOperators
    search = RuntimeLibrarySearch(for: .liteRT, explicitPath: library, environment: environment)
    gpuSearch = RuntimeLibrarySearch(for: .liteRTGPU, environment: environment)
  }

  /// Loads a `.tflite` file.
  ///
  /// Layers are matched to tensors by position. If the file has several signatures, the one whose
  /// keys are the names of the layers is run, otherwise the main one.
  ///
  /// For training, the file needs the signature that `train.ops` names, and variables.
  public func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
  {
    guard !use.operations.isEmpty else { return try model(at: file, for: use) }
    guard accelerator == .cpu else {
      throw ModelError(.runtime, .unsupported("training on a GPU"), file: file.path)
    }
    let bytes = try ModelBytes(file)
    let environment = try loadLibrary().environment
    do throws(ModelError) {
      guard
        let store = try VariableStore(
          bytes, threads: use.threads, in: environment, operators: availableOperators)
      else {
        return try LiteRTModel(bytes, for: use, in: environment, operators: availableOperators)
      }
      return try LiteRTTrainingModel(store, for: use)
    } catch {
      throw error.in(file: file.path)
    }
  }

  /// Loads a `.tflite` file as a ``LiteRTModel``.
  ///
  /// If the file has several signatures, the one for inference is run: `serving_default`, `infer` or
  /// `predict`, otherwise the main one.
  public func model(at file: ModelFile) throws(ModelError) -> LiteRTModel {
    try model(at: file, for: nil)
  }

  private func model(at file: ModelFile, for use: ModelBinding?) throws(ModelError) -> LiteRTModel {
    let bytes = try ModelBytes(file)
    let environment = try loadLibrary().environment
    do {
      return try LiteRTModel(bytes, for: use, in: environment, operators: availableOperators)
    } catch {
      throw error.in(file: file.path)
    }
  }

  /// Loads a model from the bytes of a `.tflite` file.
  public func model(bytes: [UInt8]) throws(ModelError) -> LiteRTModel {
    try model(bytes: bytes, for: nil)
  }

  /// Loads a model from the bytes of a `.tflite` file for a binding, which selects its signature.
  package func model(bytes: [UInt8], for use: ModelBinding?) throws(ModelError) -> LiteRTModel {
    try model(ModelBytes(bytes), for: use)
  }

  func model(_ bytes: ModelBytes, for use: ModelBinding?) throws(ModelError) -> LiteRTModel {
    try LiteRTModel(
      bytes, for: use, in: loadLibrary().environment, operators: availableOperators)
  }

  /// Returns the signature of a file that a binding runs, without compiling the model.
  func entryPoint(of file: ModelFile, for use: ModelBinding) throws(ModelError) -> EntryPoint? {
    let bytes = try ModelBytes(file)
    let environment = try loadLibrary().environment
    do throws(ModelError) {
      let graph = try LiteRTGraph(bytes, in: environment, operators: availableOperators)
      return try EntryPoint.main(of: graph.entryPoints(), for: use)
    } catch {
      throw error.in(file: file.path)
    }
  }

  /// The application's and the built-in custom operators, by name.
  package var availableOperators: [String: any CustomOperator.Type] {
    BuiltInCustomOperators.byName.merging(customOperators.registered) { _, registered in registered
    }
  }

  /// Opens the library and returns its location.
  ///
  /// - Throws: `ModelError` with the reason `runtimeMissing` if no library can be opened.
  package func locateLibrary() throws(ModelError) -> RuntimeLibraryCandidate {
    try loadLibrary().candidate
  }

  private typealias LoadedLibrary = (
    environment: LiteRTEnvironment, candidate: RuntimeLibraryCandidate
  )

  private func loadLibrary() throws(ModelError) -> LoadedLibrary {
    try loadedLibrary.getOrOpen { () throws(ModelError) in
      let (library, candidate) = try search.open(LiteRTLibrary.open)
      let version = candidate.installedVersion(of: .liteRT)
      let gpu = accelerator == .gpu ? try GPUAccelerator(gpuSearch) : nil
      return (try LiteRTEnvironment(library, version: version, weightCache, gpu), candidate)
    }
  }
}

extension LiteRTBackend: DeviceListingBackend {
  /// Lists the devices that Vulkan finds.
  package func gpuDevices() throws(ModelError) -> [String] {
    _ = try GPUAccelerator(gpuSearch)
    return VulkanDevices.names ?? []
  }
}

extension RuntimeLibrarySpecification {
  /// The LiteRT library and the Python wheels that contain it.
  package static let liteRT = RuntimeLibrarySpecification(
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

  /// LiteRT's accelerator for graphics processors, which the same packages contain.
  package static let liteRTGPU = RuntimeLibrarySpecification(
    backend: .tflite, name: "litert-gpu", displayName: "LiteRT's GPU accelerator",
    libraryFileName: GPUAccelerator.libraryFileName,
    environmentVariable: "TENSORIO_LITERT_GPU_LIBRARY", version: version,
    wheels: liteRT.wheels.filter { $0.architecture == .x86_64 }.map { wheel in
      RuntimeWheel(
        architecture: wheel.architecture, package: wheel.package, version: wheel.version,
        pythonVersion: wheel.pythonVersion, abi: wheel.abi, platform: wheel.platform,
        sha256: wheel.sha256, libraries: ["ai_edge_litert/\(GPUAccelerator.libraryFileName)"],
        byteCount: wheel.byteCount)
    })

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

extension LiteRTBackend: WeightStoringBackend {
  /// Returns a copy of a `.tflite` file whose float weights have half precision.
  package func copyInHalfPrecision(of file: ModelFile) throws(ModelError) -> [UInt8] {
    do throws(ModelError) {
      return try HalfPrecisionModel.file(of: ModelBytes(file))
    } catch {
      throw error.in(file: file.path)
    }
  }

  /// Returns no names.
  package func companionFiles(of file: ModelFile) -> [String] { [] }
}
