public import TensorIOBundle
public import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOTensorFlow

/// The runtimes that can run bundles.
///
///     let backends = Backends(isolation: Isolation())
///     let model = try Model(ModelBundle(at: "mobilenet.tiobundle"), backends: backends)
///
/// A runtime's library is opened when the first model needs it, once for each value of this type.
/// ``standard`` is used by all models that specify no backends.
public struct Backends: Sendable {
  /// The built-in runtimes, with the libraries found by the default search.
  public static let standard = Backends()

  private let backends: [any Backend]

  /// Creates the built-in runtimes.
  ///
  /// - Parameters:
  ///   - litertLibrary: The path of LiteRT's library; `nil` searches for it.
  ///   - tensorflowLibrary: The path of TensorFlow's library; `nil` searches for it.
  ///   - trustingGraphs: Whether to accept TensorFlow graphs with operators that can do more than
  ///     compute, such as reading files.
  ///   - weightCache: A cache that makes large LiteRT models load faster. Isolated models do not
  ///     use it.
  ///   - isolation: Settings for running all models in worker processes; `nil` runs them in this
  ///     process.
  public init(
    litertLibrary: String? = nil, tensorflowLibrary: String? = nil, trustingGraphs: Bool = false,
    weightCache: WeightCache? = nil, isolation: Isolation? = nil
  ) {
    if let isolation {
      backends = [
        IsolatedBackend(.tflite, library: litertLibrary, isolation: isolation),
        IsolatedBackend(
          .tensorflow, library: tensorflowLibrary, trustingGraphs: trustingGraphs,
          isolation: isolation),
      ]
      return
    }
    backends = [
      LiteRTBackend(library: litertLibrary, weightCache: weightCache),
      TensorFlowBackend(library: tensorflowLibrary, trustingGraphs: trustingGraphs),
    ]
  }

  /// Creates a collection of custom runtimes.
  public init(_ backends: [any Backend]) {
    self.backends = backends
  }

  /// Returns the runtime for a bundle.
  ///
  /// - Throws: ``ModelError/Reason/unknownBackend(_:known:)`` if there is none.
  public func backend(for bundle: ModelBundle) throws(ModelError) -> any Backend {
    guard let backend = backends.first(where: { $0.identifier == bundle.backend }) else {
      throw ModelError(
        .runtime, .unknownBackend(bundle.backend, known: backends.map(\.identifier)))
    }
    return backend
  }
}

extension BundleValidator {
  /// Creates a validator that opens zip archives and models, each in the runtime or with the
  /// application's model that its bundle specifies.
  ///
  ///     let report = BundleValidator(backends: .standard).validate("mobilenet.tiobundle")
  ///     for diagnostic in report.diagnostics { print(diagnostic) }
  ///
  /// The model of a bundle whose `class` is not registered is not opened.
  ///
  /// - Parameters:
  ///   - backends: The runtimes to open models in.
  ///   - registry: The application's own models.
  public init(backends: Backends, registry: ModelRegistry = .shared) {
    self.init { (bundle) throws(ModelError) in
      let canRun = bundle.description.className.map(registry.names.contains) ?? true
      guard canRun else { return nil }
      if let model = try registry.runner(for: bundle) { return .application(model) }
      return .runtime(try backends.backend(for: bundle))
    }
    unpacker = ZipBundleUnpacker()
  }
}
