/// The model that a request names, with an optional version or label.
package struct ModelSelector: Sendable, Hashable {
  /// The version of a bundle that does not declare one.
  package static let defaultVersion = "1"

  /// The name of the model.
  package var name: String
  /// The version; `nil` for the one that the policy selects.
  package var version: String?
  /// A label that stands for a version, such as `stable`; ignored if there is a version.
  package var label: String?

  /// Creates a selector.
  package init(_ name: String, version: String? = nil, label: String? = nil) {
    (self.name, self.version, self.label) = (name, version, label)
  }
}
