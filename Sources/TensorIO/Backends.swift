public import TensorIOBundle
public import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOTensorFlow

/// The runtimes that bundles may ask for.
///
/// A runtime's library is opened when the first bundle asks for it. One value, shared, opens each
/// library once; ``standard`` is shared by all models that name no other.
public struct Backends: Sendable {
  /// The runtimes from their usual places.
  public static let standard = Backends()

  private let backends: [any Backend]

  /// The runtimes from their usual places, or from the given libraries only.
  ///
  /// A graph of TensorFlow's with operators that may do more than compute is refused unless graphs
  /// are trusted. With a cache, large models of LiteRT open faster the next time. With isolation, all
  /// models run in processes of their own, which use no cache.
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

  /// Runtimes of the caller's own.
  public init(_ backends: [any Backend]) {
    self.backends = backends
  }

  /// The runtime that a bundle asks for.
  public func backend(for bundle: ModelBundle) throws(ModelError) -> any Backend {
    guard let backend = backends.first(where: { $0.identifier == bundle.backend }) else {
      throw ModelError(
        .runtime, .unknownBackend(bundle.backend, known: backends.map(\.identifier)))
    }
    return backend
  }
}

extension BundleValidator {
  /// A checker that opens models, each in the runtime or the application's own model that its
  /// bundle asks for, and zips.
  ///
  ///     let report = BundleValidator(backends: .standard).check("mobilenet.tiobundle")
  ///     for problem in report.problems { print(problem) }
  ///
  /// A bundle whose `class` is not registered here is for another application: its model stays
  /// closed.
  public init(backends: Backends, registry: ModelRegistry = .shared) {
    self.init { (bundle) throws(ModelError) in
      let isKnown = bundle.description.className.map(registry.names.contains) ?? true
      guard isKnown else { return nil }
      if let model = try registry.runner(for: bundle) { return .application(model) }
      return .runtime(try backends.backend(for: bundle))
    }
    unpacker = ZipBundleUnpacker()
  }
}
