package import TensorIOBundle
package import TensorIOCore

/// The backend that runs and trains SavedModels on the CPU with TensorFlow.
///
/// The TensorFlow library is not linked. It is located and opened when the first model is loaded;
/// see `RuntimeLibrarySearch` for the search order. Copies of a backend share the open library.
package struct TensorFlowBackend: Backend {
  /// The backend's name in `model.json`.
  package let identifier = BackendIdentifier.tensorflow
  /// The search for the library.
  package let search: RuntimeLibrarySearch
  /// Whether graphs are loaded without a review of their operators.
  package let trustsGraphs: Bool

  /// Whether this process can write files, which loading a snapshot of a reviewed graph requires.
  package var canWriteFiles = true

  private let loadedLibrary = LazyResource<LoadedLibrary>()

  /// Creates a TensorFlow backend.
  ///
  /// A graph is a program. By default graphs with operators that have side effects, such as writing
  /// files, are rejected.
  ///
  /// - Parameters:
  ///   - library: The path of the library; `nil` searches the default locations.
  ///   - environment: The environment variables that configure the search; `nil` uses those of
  ///     the process.
  ///   - trustingGraphs: Whether to load graphs without a review of their operators.
  package init(
    library: String? = nil, environment: [String: String]? = nil, trustingGraphs: Bool = false
  ) {
    search = RuntimeLibrarySearch(for: .tensorFlow, explicitPath: library, environment: environment)
    trustsGraphs = trustingGraphs
  }

  /// Loads the graph of a SavedModel for the binding's mode, with its variables.
  package func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
  {
    try model(at: file, for: use)
  }

  /// Loads a SavedModel as a ``TensorFlowModel``.
  package func model(at file: ModelFile, for use: ModelBinding) throws(ModelError)
    -> TensorFlowModel
  {
    try model(at: file) { _ in use }
  }

  /// Loads a SavedModel for prediction with all inputs and outputs of its signature.
  ///
  /// The signature key by which a tensor was found is its `TensorInfo.signatureKey`.
  package func model(at file: ModelFile) throws(ModelError) -> TensorFlowModel {
    try model(at: file) { (savedModel) throws(ModelError) in
      try savedModel.graph(for: .predict).metaGraph.defaultBinding()
    }
  }

  private func model(
    at file: ModelFile, for makeBinding: (SavedModelFile) throws(ModelError) -> ModelBinding
  ) throws(ModelError) -> TensorFlowModel {
    do throws(ModelError) {
      let savedModel = try SavedModelFile(folder: file)
      let binding = try makeBinding(savedModel)
      return try TensorFlowModel(
        file, savedModel, for: binding, reviewPolicy, in: loadLibrary().library)
    } catch {
      throw error.in(file: file.path)
    }
  }

  private var reviewPolicy: GraphReviewPolicy {
    if trustsGraphs { return .none }
    return canWriteFiles ? .reviewSnapshot : .review
  }

  /// Opens the library and returns its location.
  ///
  /// - Throws: `ModelError` with the reason `runtimeMissing` if no library can be opened.
  package func locateLibrary() throws(ModelError) -> RuntimeLibraryCandidate {
    try loadLibrary().candidate
  }

  private typealias LoadedLibrary = (library: TensorFlowLibrary, candidate: RuntimeLibraryCandidate)

  private func loadLibrary() throws(ModelError) -> LoadedLibrary {
    try loadedLibrary.getOrOpen { () throws(ModelError) in try search.open(TensorFlowLibrary.open) }
  }
}

extension RuntimeLibrarySpecification {
  /// The TensorFlow library and the Python wheels that contain it.
  package static let tensorFlow = RuntimeLibrarySpecification(
    backend: .tensorflow, name: "tensorflow", displayName: "TensorFlow",
    libraryFileName: libraryFile,
    environmentVariable: "TENSORIO_TENSORFLOW_LIBRARY", version: version,
    wheels: [
      wheel(
        .x86_64, package: "tensorflow-cpu", platform: "manylinux_2_27_x86_64",
        sha256: "2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c",
        byteCount: 273_829_956),
      wheel(
        .aarch64, package: "tensorflow", platform: "manylinux_2_27_aarch64",
        sha256: "4b24aca16d527a3cf1c37f720c04c484c3d20f4d0fdfa98632ac8b9f3be6eb5c",
        byteCount: 281_828_020),
    ])

  private static let version = "2.21.0"

  #if canImport(Darwin)
    private static let libraryFile = "libtensorflow_cc.2.dylib"
  #else
    private static let libraryFile = "libtensorflow_cc.so.2"
  #endif

  /// The first library depends on the second, which is shared with TensorFlow's plug-ins.
  private static func wheel(
    _ architecture: CPUArchitecture, package: String, platform: String, sha256: String,
    byteCount: Int
  ) -> RuntimeWheel {
    RuntimeWheel(
      architecture: architecture, package: package, version: version, pythonVersion: "3.11",
      abi: "cp311", platform: platform, sha256: sha256,
      libraries: ["tensorflow/libtensorflow_cc.so.2", "tensorflow/libtensorflow_framework.so.2"],
      byteCount: byteCount)
  }
}
