import Synchronization
public import TensorIOBundle

/// The models of an application's own, by the name that a bundle's `class` asks for.
///
///     ModelRegistry.standard.register("Doubler") { _, _ in Doubler() }
///     let model = try Model(bundleAt: "doubler.tiobundle")
///
/// Nothing is looked up among the classes of the program, as the original did: a bundle names
/// what its application has registered, and nothing else. `TIOTFLiteModel` and
/// `TIOTensorFlowModel`, the original's own classes, are registered from the beginning and stand
/// for the runtimes.
public final class ModelRegistry: Sendable {
  /// What makes a model for a bundle.
  ///
  /// One that wraps a runtime's model opens it with `Model(bundle, on: backend)`, which does not
  /// ask the registry again.
  public typealias Factory =
    @Sendable (ModelBundle, Model.Options) throws(ModelError) -> any ModelRunner

  /// The registry that is asked unless another one is given.
  public static let shared = ModelRegistry()

  private enum Entry {
    case runtime
    case custom(Factory)
  }

  private let entries: Mutex<[String: Entry]>

  /// A registry with nothing but the names of the original's own classes.
  public init() {
    entries = Mutex(
      Dictionary(uniqueKeysWithValues: BackendIdentifier.legacyClasses.map { ($0, .runtime) }))
  }

  /// The names that are registered, in order.
  public var names: [String] { entries.withLock { $0.keys.sorted() } }

  /// Registers a model under a name, in the place of one that has it.
  public func register(_ name: String, _ factory: @escaping Factory) {
    entries.withLock { $0[name] = .custom(factory) }
  }

  /// The application's own model that a bundle asks for; `nil` when a runtime runs it.
  public func runner(
    for bundle: ModelBundle, options: Model.Options = Model.Options()
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

/// A model of an application's own, for bundles that no runtime can run by itself.
///
/// It may compute in Swift, or wrap a runtime's model and do something before and after:
///
///     struct Doubler: ModelRunner {
///       func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
///         let number = try input.values(for: ["x"])[0].value(as: Double.self)
///         return ModelOutput(layers: [.init(name: "y", value: .number(2 * number))])
///       }
///     }
///
/// ``Model`` runs it in the thread of the caller, and may do so in several at once. What goes wrong
/// is thrown as a ``ModelError``: ``ModelError/Reason/failed(_:)`` takes any words.
public protocol ModelRunner: Sendable {
  /// The answer to one item.
  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput
}

extension Model: ModelRunner {}
