extension JSONParser {
  /// Goes past a byte order mark, where the dialect has one.
  mutating func skipByteOrderMark() throws(JSONError) {
    let length = ByteOrderMark.length(in: bytes)
    guard length > 0 else { return }
    guard dialect.contains(.byteOrderMark) else {
      throw refusal(.byteOrderMark, expected: "a JSON value", found: "a byte order mark")
    }
    liberties.append(JSONLiberty(kind: .byteOrderMark, offset: 0))
    offset = length
  }

  /// Goes past blanks, and past comments where the dialect has them.
  mutating func skipSpace() throws(JSONError) {
    while let byte = next {
      switch byte {
      case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn: offset += 1
      case ASCII.slash where isAtComment && dialect.contains(.comments): try skipComment()
      default: return
      }
    }
  }

  /// Goes past what may follow the value, and sees that nothing else does.
  mutating func skipEpilogue() throws(JSONError) {
    try skipSpace()
    if dialect.contains(.trailingEllipsis), bytes[offset...].starts(with: [dot, dot, dot]) {
      liberties.append(JSONLiberty(kind: .trailingEllipsis, offset: offset))
      offset += 3
      try skipSpace()
    }
    guard next == nil else {
      throw refusal(
        isAtComment ? .comment : .trailingContent, expected: "nothing after the value")
    }
  }

  /// Whether the bytes at hand begin a comment.
  var isAtComment: Bool {
    guard next == ASCII.slash, offset + 1 < bytes.count else { return false }
    return bytes[offset + 1] == ASCII.slash || bytes[offset + 1] == ASCII.star
  }

  private mutating func skipComment() throws(JSONError) {
    liberties.append(JSONLiberty(kind: .comments, offset: offset))
    let start = offset
    let isLine = bytes[offset + 1] == ASCII.slash
    offset += 2
    while let byte = next {
      offset += 1
      if isLine, byte == ASCII.lineFeed { return }
      if !isLine, byte == ASCII.star, next == ASCII.slash {
        offset += 1
        return
      }
    }
    guard isLine else {
      offset = start
      throw refusal(.unexpectedEnd, expected: "a comment that ends with */", found: "no end to it")
    }
  }

  private var dot: UInt8 { ASCII.dot }
}
