/// How a request wants to be understood.
enum HTTPVersion: Sendable {
  case oneZero, oneOne
}

/// The first line of a request.
struct RequestLine: Sendable {
  let method: HTTPMethod
  let target: RequestTarget
  /// The path as it was asked for.
  let path: String
  let version: HTTPVersion

  init(_ line: ArraySlice<UInt8>) throws(Refusal) {
    let words = line.split(separator: .space, maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isToken) else {
      throw .malformed("the first line is a method, a target and a version")
    }
    version = try HTTPVersion(words[2])
    method = HTTPMethod(rawValue: words[0].text)
    guard let target = RequestTarget(words[1].text) else {
      throw .malformed("the target is no path, or one that could mean two things")
    }
    self.target = target
    path = words[1].prefix { $0 != UInt8(ascii: "?") }.text
  }
}

extension HTTPVersion {
  fileprivate init(_ word: ArraySlice<UInt8>) throws(Refusal) {
    let word = word.text
    guard word.utf8.count == 8, word.hasPrefix("HTTP/"), word.utf8.dropFirst(6).first == 0x2E,
      word.utf8.dropFirst(5).first?.isDigit == true, word.utf8.last?.isDigit == true
    else { throw .malformed("the first line ends with a version") }
    switch word {
    case "HTTP/1.0": self = .oneZero
    case "HTTP/1.1": self = .oneOne
    default:
      throw Refusal(.versionUnsupported, "version-unsupported", "HTTP/1.1 is spoken here")
    }
  }
}
