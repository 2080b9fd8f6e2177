public import TensorIOBundle

/// The runtimes that can run bundles.
///
/// `Backends.standard`, which is the default, contains the built-in runtimes. To change their
/// settings, or to add a runtime of the application, pass a value to ``OpeningOptions``:
///
/// ```swift
/// import TensorIO
///
/// let backends = Backends(isolation: Isolation())
/// let model = try Model(bundleAt: "mobilenet.tiobundle", options: .init(backends: backends))
/// ```
///
/// A runtime's library is opened when the first model needs it, once for each value of this type.
public struct Backends: Sendable {
  private let backends: [any Backend]

  /// Creates a collection of custom runtimes.
  ///
  /// - Parameter backends: The runtimes. If several have the same identifier, the first is used.
  public init(_ backends: [any Backend]) {
    self.backends = backends
  }

  /// The identifiers of the runtimes, in order.
  public var identifiers: [BackendIdentifier] { backends.map(\.identifier) }

  /// Returns the runtimes with one more, which takes precedence over those with its identifier.
  ///
  /// - Parameter backend: A runtime of the application.
  /// - Returns: The extended collection.
  public func adding(_ backend: some Backend) -> Backends {
    Backends([backend] + backends)
  }

  /// Returns the runtime for a bundle.
  ///
  /// - Throws: ``ModelError/unknownBackend`` if there is none.
  package func backend(for bundle: ModelBundle) throws(ModelError) -> any Backend {
    guard let backend = backends.first(where: { $0.identifier == bundle.backend }) else {
      throw ModelError(.runtime, .unknownBackend(bundle.backend, known: identifiers))
    }
    return backend
  }
}
