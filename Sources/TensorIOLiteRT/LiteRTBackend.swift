internal import Synchronization
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

  private let runtime: Runtime

  /// LiteRT from its usual places, or from the given library only.
  public init(library: String? = nil, environment: [String: String]? = nil) {
    search = RuntimeSearch(for: .liteRT, option: library, environment: environment)
    runtime = Runtime()
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

  private func open() throws(ModelError) -> Runtime.Opened {
    try runtime.open(search)
  }
}

/// The opened library that the copies of a backend share.
private final class Runtime: Sendable {
  struct Opened: Sendable {
    let environment: LiteRTEnvironment
    let candidate: RuntimeCandidate
  }

  private let opened = Mutex<Opened?>(nil)

  func open(_ search: RuntimeSearch) throws(ModelError) -> Opened {
    try opened.withLock { (opened) throws(ModelError) in
      if let opened { return opened }
      let (library, candidate) = try search.open(LiteRTLibrary.open)
      let new = Opened(environment: try LiteRTEnvironment(library), candidate: candidate)
      opened = new
      return new
    }
  }
}
