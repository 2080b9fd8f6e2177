public import TensorIOCore

/// LiteRT, which runs TensorFlow Lite models on the CPU.
///
/// Its library is not linked but found and opened when the first model is loaded; see
/// `RuntimeSearch` for where. A backend is a value that can be copied and shared freely: all
/// copies use one opened library and one environment.
public struct LiteRTBackend: Backend {
  /// The word by which `model.json` asks for it.
  public let identifier = BackendIdentifier.tflite
  /// Where the library is looked for.
  public let search: RuntimeSearch
  /// Where weights are kept as the runtime arranges them; `nil` keeps none.
  public let weightCache: WeightCache?

  private let runtime = OpenedOnce<Opened>()

  /// LiteRT from its usual places, or from the given library only.
  public init(
    library: String? = nil, environment: [String: String]? = nil, weightCache: WeightCache? = nil
  ) {
    self.weightCache = weightCache
    search = RuntimeSearch(for: .liteRT, option: library, environment: environment)
  }

  /// Loads a `.tflite` file.
  ///
  /// Its tensors are found by their order, whatever they are called and wanted for.
  public func load(_ file: ModelFile, for use: ModelUse) throws(ModelError) -> any RuntimeModel {
    try model(at: file)
  }

  /// Loads a `.tflite` file, as the type that knows what LiteRT alone can tell.
  public func model(at file: ModelFile) throws(ModelError) -> LiteRTModel {
    let bytes = try ModelBytes(file)
    let environment = try open().environment
    do {
      return try LiteRTModel(bytes, in: environment)
    } catch {
      throw error.in(file: file.path)
    }
  }

  /// Loads a model from the bytes of a `.tflite` file.
  public func model(bytes: [UInt8]) throws(ModelError) -> LiteRTModel {
    try LiteRTModel(ModelBytes(bytes), in: open().environment)
  }

  /// Opens the library without a model, to see whether and where it is found.
  public func locate() throws(ModelError) -> RuntimeCandidate {
    try open().candidate
  }

  private typealias Opened = (environment: LiteRTEnvironment, candidate: RuntimeCandidate)

  private func open() throws(ModelError) -> Opened {
    try runtime.get { () throws(ModelError) in
      let (library, candidate) = try search.open(LiteRTLibrary.open)
      return (try LiteRTEnvironment(library, weightCache), candidate)
    }
  }
}
