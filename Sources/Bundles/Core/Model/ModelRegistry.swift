import Synchronization
public import TensorIOBundle

/// The application's own models, by the name that a bundle's `class` refers to.
///
/// ```swift
/// import TensorIO
///
/// struct Doubler: ModelRunner {
///   func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
///     let number = try input.values(for: ["x"])[0].value(as: Double.self)
///     return ModelOutput(layers: [.init(name: "y", value: .number(2 * number))])
///   }
/// }
///
/// ModelRegistry.shared.register("Doubler") { _, _ in Doubler() }
/// let model = try Model(at: "doubler.tiobundle")
/// ```
///
/// Only registered names can be used; no type is looked up by its name at run time. The legacy
/// names `TIOTFLiteModel` and `TIOTensorFlowModel` are registered initially and select the
/// runtimes.
public final class ModelRegistry: Sendable {
  /// A closure that creates the model for a bundle.
  ///
  /// To wrap a runtime's model, open the bundle with a copy of the options whose
  /// ``OpeningOptions/models`` is `nil`.
  public typealias Factory =
    @Sendable (ModelBundle, OpeningOptions) throws(ModelError) -> any ModelRunner

  /// The registry used by default.
  public static let shared = ModelRegistry()

  private enum Entry {
    case runtime
    case custom(Factory)
  }

  private let entries: Mutex<[String: Entry]>

  /// Creates a registry with only the legacy names of the runtimes.
  public init() {
    entries = Mutex(
      Dictionary(uniqueKeysWithValues: BackendIdentifier.legacyClasses.map { ($0, .runtime) }))
  }

  /// The registered names, sorted.
  public var names: [String] { entries.withLock { $0.keys.sorted() } }

  /// Registers a model under a name, replacing any model with that name.
  ///
  /// - Parameters:
  ///   - name: The name that a bundle's `class` refers to.
  ///   - factory: Creates the model when a bundle is opened.
  public func register(_ name: String, _ factory: @escaping Factory) {
    entries.withLock { $0[name] = .custom(factory) }
  }

  /// Returns the application's own model for a bundle; `nil` if a runtime runs the bundle.
  ///
  /// - Throws: ``ModelError/unknownClass`` if the bundle's `class` is not
  ///   registered, or the error of the factory.
  package func runner(
    for bundle: ModelBundle, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) -> (any ModelRunner)? {
    guard !bundle.isPlaceholder, let name = bundle.description.className else { return nil }
    switch entries.withLock({ $0[name] }) {
    case .runtime: return nil
    case .custom(let factory): return try factory(bundle, options)
    case nil:
      throw ModelError(.runtime, .unknownClass(name, registered: names), file: bundle.path)
    }
  }
}

/// An application's own model, for bundles that no runtime can run.
///
/// It can compute its outputs in Swift, or wrap a runtime's model and process its inputs and
/// outputs:
///
/// ```swift
/// import TensorIO
///
/// struct Doubler: ModelRunner {
///   func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
///     let number = try input.values(for: ["x"])[0].value(as: Double.self)
///     return ModelOutput(layers: [.init(name: "y", value: .number(2 * number))])
///   }
/// }
/// ```
///
/// ``Model`` calls it on the caller's thread, possibly on several threads at the same time. Report
/// failures as ``ModelError``, for example with ``ModelError/failed``.
public protocol ModelRunner: Sendable {
  /// Returns the outputs for one item.
  ///
  /// - Parameter input: The values of the inputs and placeholders.
  /// - Returns: The outputs of the model.
  /// - Throws: A ``ModelError`` if the input does not fit the model or the run fails.
  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput

  /// Returns the outputs for one item, and measures its own steps.
  ///
  /// - Parameters:
  ///   - input: The values of the inputs and placeholders.
  ///   - timings: Receives the steps. The time of the whole run is measured anyway.
  /// - Returns: The outputs of the model.
  /// - Throws: A ``ModelError`` if the input does not fit the model or the run fails.
  func run(_ input: ModelInput, timings: inout Timings) throws(ModelError) -> ModelOutput

  /// Runs the model briefly on a value of its own, for `tensorio init` and `tensorio validate`.
  ///
  /// - Throws: A ``ModelError`` if the model does not run.
  func tryRun() throws(ModelError)
}

extension ModelRunner {
  /// Measures no steps.
  public func run(_ input: ModelInput, timings: inout Timings) throws(ModelError) -> ModelOutput {
    try run(input)
  }

  /// Runs nothing.
  public func tryRun() throws(ModelError) {}
}
