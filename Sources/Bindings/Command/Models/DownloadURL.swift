/// An http or https URL in a form that two parsers cannot read differently.
///
/// User names, and characters that a URL has to encode, are rejected.
struct DownloadURL: Sendable, Hashable {
  /// The scheme in lowercase: `http` or `https`.
  let scheme: String
  /// The name of the host in lowercase, or its address, without brackets.
  let host: String
  let port: Int
  /// The path and query, which begin with a slash.
  let target: String

  /// Parses a URL; `nil` if it is not an http or https URL of that form.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.unsafeCharacters.contains($0) }),
      let match = text.wholeMatch(
        of:
          #/(?i)(https?):\/\/([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?([\/?][^#]*)?(?:#.*)?/#
      )
    else { return nil }
    scheme = match.1.lowercased()
    host = match.2.lowercased().filter { $0 != "[" && $0 != "]" }
    port = match.3.map { Int($0) ?? 0 } ?? (scheme == "https" ? 443 : 80)
    guard (1...65_535).contains(port) else { return nil }
    let target = match.4.map(String.init) ?? "/"
    self.target = target.hasPrefix("/") ? target : "/" + target
  }

  private static let unsafeCharacters = Set("\"<>\\^`{|}".utf8)

  /// The host and the port.
  var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// The URL as text.
  var text: String { "\(scheme)://\(authority)\(target)" }

  /// Returns the URL to which a response with a field `Location` redirects; `nil` if it is not valid.
  func redirected(to location: String) -> DownloadURL? {
    if location.contains("://") { return DownloadURL(location) }
    if location.hasPrefix("//") { return DownloadURL("\(scheme):\(location)") }
    if location.hasPrefix("/") { return DownloadURL("\(scheme)://\(authority)\(location)") }
    let path = target.prefix { $0 != "?" }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
    return DownloadURL("\(scheme)://\(authority)\(folder)\(location)")
  }
}
