public import TensorIOBundle
public import TensorIOCore

/// TensorFlow, which runs SavedModels on the CPU and can train them.
///
/// Its library is not linked but found and opened when the first model is loaded; see
/// `RuntimeLibrarySearch` for where. A backend is a value that can be copied and shared freely.
public struct TensorFlowBackend: Backend {
  /// The word by which `model.json` asks for it.
  public let identifier = BackendIdentifier.tensorflow
  /// Where the library is looked for.
  public let search: RuntimeLibrarySearch
  /// Whether graphs are run whatever their operators may do.
  public let trustsGraphs: Bool

  /// Whether this process can write files, which those who load what they reviewed have to.
  package var canWriteFiles = true

  private let loadedLibrary = LazyResource<LoadedLibrary>()

  /// TensorFlow from its usual places, or from the given library only.
  ///
  /// A graph is a program. One with operators that may do more than compute, such as those that
  /// write files, is refused unless graphs are trusted.
  public init(
    library: String? = nil, environment: [String: String]? = nil, trustingGraphs: Bool = false
  ) {
    search = RuntimeLibrarySearch(for: .tensorFlow, explicitPath: library, environment: environment)
    trustsGraphs = trustingGraphs
  }

  /// Loads the graph of a SavedModel that is for the mode, with its variables.
  public func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    try model(at: file, for: use)
  }

  /// Loads a SavedModel, as the type that knows what TensorFlow alone can tell.
  public func model(at file: ModelFile, for use: ModelBinding) throws(ModelError) -> TensorFlowModel {
    try model(at: file) { _ in use }
  }

  /// Loads a SavedModel for predictions with all that its signature lists.
  ///
  /// Where a key of the signature finds the tensor, it is the tensor's `TensorInfo.key`.
  public func model(at file: ModelFile) throws(ModelError) -> TensorFlowModel {
    try model(at: file) { (savedModel) throws(ModelError) in
      try savedModel.graph(for: .predict).facts.defaultBinding()
    }
  }

  private func model(
    at file: ModelFile, for use: (SavedModelFile) throws(ModelError) -> ModelBinding
  ) throws(ModelError) -> TensorFlowModel {
    do throws(ModelError) {
      let savedModel = try SavedModelFile(folder: file)
      let use = try use(savedModel)
      return try TensorFlowModel(
        file, savedModel, for: use, reviewPolicy, in: loadLibrary().library)
    } catch {
      throw error.in(file: file.path)
    }
  }

  private var reviewPolicy: GraphReviewPolicy {
    if trustsGraphs { return .none }
    return canWriteFiles ? .reviewSnapshot : .review
  }

  /// Opens the library without a model, to see whether and where it is found.
  public func locateLibrary() throws(ModelError) -> RuntimeLibraryCandidate {
    try loadLibrary().candidate
  }

  private typealias LoadedLibrary = (library: TensorFlowLibrary, candidate: RuntimeLibraryCandidate)

  private func loadLibrary() throws(ModelError) -> LoadedLibrary {
    try loadedLibrary.getOrOpen { () throws(ModelError) in try search.open(TensorFlowLibrary.open) }
  }
}

extension RuntimeLibrarySpecification {
  /// TensorFlow's library and the packages that hold it.
  public static let tensorFlow = RuntimeLibrarySpecification(
    backend: .tensorflow, name: "tensorflow", displayName: "TensorFlow", libraryFileName: libraryFile,
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

  /// The second library is the half of the first that its plug-ins share.
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
