package import TensorIOBundle

/// A change of the models of a catalog, for the log.
package struct ModelChange: Sendable {
  /// What happened.
  package enum Event: Sendable {
    case opened, replaced, unloaded, removed
    /// The bundle could not be opened.
    case failed(ModelError)
    /// A newer bundle could not be opened; the old one is still served.
    case replacementFailed(ModelError)
    /// A run crashed its worker process or exceeded the time limit.
    case crashed(ModelError)
    /// The model is not run for a number of seconds, because its runs failed repeatedly.
    case suspended(seconds: Int)
    /// The suspension is over, because a run succeeded.
    case resumed
  }

  /// The name of the model.
  package let name: String
  /// The version of the model.
  package let version: String
  /// What happened.
  package let event: Event
}
