import TensorIOSystem

/// The status and fields of the last response to a download; earlier ones are redirections.
struct DownloadHeaders {
  let status: Int
  private var fields: [String: String] = [:]

  /// Parses a file that `curl --dump-header` has written; `nil` if there is no response yet.
  init?(_ path: String) {
    guard let bytes = try? FileBytes.contents(of: path, limit: 1 << 20) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard let start = lines.lastIndex(where: { $0.hasPrefix("HTTP/") }) else { return nil }
    let words = lines[start].split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else { return nil }
    self.status = status
    for line in lines[(start + 1)...] {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
  }

  subscript(name: String) -> String? { fields[name] }

  /// Whether the response is a redirection, which was not followed.
  var isRedirection: Bool { [301, 302, 303, 307, 308].contains(status) && self["location"] != nil }
  /// The number of bytes that follow.
  var contentLength: Int? { fields["content-length"].flatMap { Int($0) } }
  /// The identifier of the contents; `nil` if it does not stand for equal bytes.
  var strongTag: String? {
    fields["etag"].flatMap { tag in
      tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count < 200 ? tag : nil
    }
  }
  /// The number of seconds after which the request can be repeated.
  var retryAfter: Int? { fields["retry-after"].flatMap { Int($0) } }
}
