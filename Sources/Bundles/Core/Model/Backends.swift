package import TensorIOBundle

/// The runtimes that can run bundles.
package struct Backends: Sendable {
  private let backends: [any Backend]

  /// Creates a collection of runtimes; if several have the same identifier, the first is used.
  package init(_ backends: [any Backend]) {
    self.backends = backends
  }

  /// Returns the runtime for a bundle.
  ///
  /// - Throws: ``ModelError/unknownBackend`` if there is none.
  package func backend(for bundle: ModelBundle) throws(ModelError) -> any Backend {
    guard let backend = backends.first(where: { $0.identifier == bundle.backend }) else {
      throw ModelError(
        .runtime, .unknownBackend(bundle.backend, known: backends.map(\.identifier)))
    }
    return backend
  }
}
