package import TensorIOBundle

/// A change of the models of a catalog, for the log.
package struct ModelChange: Sendable {
  /// What happened.
  package enum Event: Sendable {
    case opened, replaced, unloaded, removed
    /// The bundle could not be opened; the old one, if there is one, is still served.
    case failed(ModelError)
  }

  /// The name of the model.
  package let name: String
  /// The version of the model.
  package let version: String
  /// What happened.
  package let event: Event
}
