/// The versions and options of one model on a server.
package struct ServingSettings: Sendable, Equatable {
  /// Which versions are served.
  package var policy: VersionPolicy
  /// The versions that labels such as `stable` stand for.
  package var labels: [String: String]
  /// How the model runs.
  package var options: ServingOptions

  /// Creates settings.
  package init(
    policy: VersionPolicy = .latest(1), labels: [String: String] = [:],
    options: ServingOptions = ServingOptions()
  ) {
    (self.policy, self.labels, self.options) = (policy, labels, options)
  }
}
