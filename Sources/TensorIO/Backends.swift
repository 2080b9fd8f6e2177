public import TensorIOCore
internal import TensorIOLiteRT

/// The runtimes that bundles may ask for.
///
/// A runtime's library is opened when the first bundle asks for it. One value, shared, opens each
/// library once; ``standard`` is shared by all models that name no other.
public struct Backends: Sendable {
  /// The runtimes from their usual places.
  public static let standard = Backends()

  private let backends: [any Backend]

  /// The runtimes from their usual places, or LiteRT from the given library only.
  public init(litertLibrary: String? = nil) {
    backends = [LiteRTBackend(library: litertLibrary)]
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
