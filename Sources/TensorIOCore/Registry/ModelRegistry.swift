internal import Synchronization

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
  public static let standard = ModelRegistry()

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
