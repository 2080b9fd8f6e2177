/// How a body's end is known.
enum BodyFraming: Sendable, Equatable {
  /// By its length; a request that says nothing has no body.
  case length(Int)
  case chunked

  /// Nothing that two readers could understand in two ways.
  init(_ headers: HTTPHeaders, _ version: HTTPVersion) throws(Refusal) {
    let codings = headers.all("Transfer-Encoding")
    let lengths = headers.all("Content-Length")
    if !codings.isEmpty {
      guard version == .oneOne, lengths.isEmpty, codings.count == 1,
        codings[0].isSameWord(as: "chunked")
      else { throw .malformed("a body is framed by its length or as chunked, once") }
      self = .chunked
    } else {
      guard lengths.count < 2 else { throw .malformed("a body has one length") }
      self = .length(try lengths.first.map { text throws(Refusal) in try Self.length(text) } ?? 0)
    }
  }

  var hasBody: Bool { self != .length(0) }

  private static func length(_ text: String) throws(Refusal) -> Int {
    guard text.utf8.allSatisfy(\.isDigit), let length = Int(text) else {
      throw .malformed("a length is a number of bytes")
    }
    return length
  }
}
