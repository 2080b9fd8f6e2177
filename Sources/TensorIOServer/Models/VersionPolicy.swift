/// Which versions of a model are served.
package enum VersionPolicy: Sendable, Equatable {
  /// The newest versions that can be opened.
  case latest(Int)
  /// All versions.
  case all
  /// The versions with these names.
  case specific([String])

  /// Parses `latest`, `latest:2`, `all` or a comma-separated list of versions; `nil` if `text` is
  /// empty or a count is invalid.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("all", 1): self = .all
    case ("latest", 1): self = .latest(1)
    case ("latest", _):
      guard let count = Int(parts[1]), count > 0 else { return nil }
      self = .latest(count)
    default:
      let versions = text.split(separator: ",").map(String.init)
      guard !versions.isEmpty else { return nil }
      self = .specific(versions)
    }
  }
}
