/// A custom operator that a model uses or a runtime provides, with its origin.
package struct CustomOperatorUse: Sendable, Equatable {
  /// The source of an operator's implementation.
  package enum Origin: String, Sendable, CaseIterable {
    /// TensorIO contains the operator.
    case builtIn = "built-in"
    /// The runtime's library contains the operator.
    case runtime
    /// The application has registered the operator.
    case registered
    /// No implementation is available in this process.
    case unknown
  }

  /// The name by which models refer to the operator.
  package let name: String
  /// The operator's version.
  package let version: Int
  package let origin: Origin

  package init(_ name: String, version: Int, origin: Origin) {
    (self.name, self.version, self.origin) = (name, version, origin)
  }
}
