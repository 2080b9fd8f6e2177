import TensorIOBundle

/// Which versions of a model are served.
package enum VersionPolicy: Sendable, Equatable {
  /// The newest versions that can be opened.
  case latest(Int)
  /// All versions.
  case all
  /// The versions with these names.
  case specific([String])

  /// The policies that have a name.
  private static let names = ["latest", "all"]

  /// Parses `latest`, `latest:2`, `all` or a comma-separated list of versions; `nil` if `text` is
  /// empty, a count is invalid, or a single version resembles the name of a policy.
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
      let isMisspelled = versions.count == 1 && !Self.suggestion(for: text).isEmpty
      guard !versions.isEmpty, !isMisspelled else { return nil }
      self = .specific(versions)
    }
  }

  /// Returns the policy that an invalid text resembles, to append to an error; empty for none.
  package static func suggestion(for text: String) -> String {
    let name = text.split(separator: ":", maxSplits: 1).first.map(String.init) ?? text
    return names.contains(name) ? "" : Spelling.suggestion(for: name, among: names)
  }
}
