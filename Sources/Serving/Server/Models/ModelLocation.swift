/// Where a bundle or chain is, and under which name and version it is served.
package struct ModelLocation: Sendable, Hashable {
  /// The name in request paths.
  package var name: String
  /// The version in request paths; `nil` for the bundle's own.
  package var version: String?
  /// The path of the bundle or chain.
  package var path: String
  /// The file with the settings of the model; `nil` if there is none.
  package var settingsPath: String?

  /// Creates a location.
  package init(_ name: String, version: String? = nil, path: String, settingsPath: String? = nil) {
    (self.name, self.version, self.path) = (name, version, path)
    self.settingsPath = settingsPath
  }
}
