public import TensorIOCore

/// TensorFlow, which runs SavedModels on the CPU and can train them.
///
/// Its library is not linked but found and opened when the first model is loaded; see
/// `RuntimeSearch` for where. A backend is a value that can be copied and shared freely.
public struct TensorFlowBackend: Backend {
  /// The word by which `model.json` asks for it.
  public let identifier = BackendIdentifier.tensorflow
  /// Where the library is looked for.
  public let search: RuntimeSearch
  /// Whether graphs are run whatever their operators may do.
  public let trustsGraphs: Bool

  /// Whether this process can write files, which those who load what they reviewed have to.
  package var canWrite = true

  private let runtime = OpenedOnce<Opened>()

  /// TensorFlow from its usual places, or from the given library only.
  ///
  /// A graph is a program. One with operators that may do more than compute, such as those that
  /// write files, is refused unless graphs are trusted.
  public init(
    library: String? = nil, environment: [String: String]? = nil, trustingGraphs: Bool = false
  ) {
    search = RuntimeSearch(for: .tensorFlow, option: library, environment: environment)
    trustsGraphs = trustingGraphs
  }

  /// Loads the graph of a SavedModel that is for the mode, with its variables.
  public func load(_ file: ModelFile, for use: ModelUse) throws(ModelError) -> any RuntimeModel {
    try model(at: file, for: use)
  }

  /// Loads a SavedModel, as the type that knows what TensorFlow alone can tell.
  public func model(at file: ModelFile, for use: ModelUse) throws(ModelError) -> TensorFlowModel {
    try model(at: file) { _ in use }
  }

  /// Loads a SavedModel for predictions with all that its signature lists.
  ///
  /// Where a key of the signature finds the tensor, it is the tensor's `TensorInfo.key`.
  public func model(at file: ModelFile) throws(ModelError) -> TensorFlowModel {
    try model(at: file) { (savedModel) throws(ModelError) in
      try savedModel.graph(for: .predict).facts.ownUse()
    }
  }

  private func model(
    at file: ModelFile, for use: (SavedModelFile) throws(ModelError) -> ModelUse
  ) throws(ModelError) -> TensorFlowModel {
    do throws(ModelError) {
      let savedModel = try SavedModelFile(folder: file)
      let use = try use(savedModel)
      return try TensorFlowModel(
        file, savedModel, for: use, caution, in: open().library)
    } catch {
      throw error.in(file: file.path)
    }
  }

  private var caution: GraphCaution {
    if trustsGraphs { return .none }
    return canWrite ? .reviewOfCopy : .review
  }

  /// Opens the library without a model, to see whether and where it is found.
  public func locate() throws(ModelError) -> RuntimeCandidate {
    try open().candidate
  }

  private typealias Opened = (library: TensorFlowLibrary, candidate: RuntimeCandidate)

  private func open() throws(ModelError) -> Opened {
    try runtime.get { () throws(ModelError) in try search.open(TensorFlowLibrary.open) }
  }
}
