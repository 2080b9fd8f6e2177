/// The removal of spaces from the ranges of byte-level tokens, as by the postprocessors of `tokenizers`.
struct SpaceTrimming: Sendable {
  /// Whether the first token keeps its only space, because it may have been inserted.
  private let keepsFirst: Bool
  /// The numbers of spaces at the beginning and the end of each token.
  private let spaces: [(leading: UInt8, trailing: UInt8)]

  /// Creates a removal.
  ///
  /// - Parameters:
  ///   - keepsFirst: Whether the first token keeps its only space.
  ///   - base: The tokenizer of the tokens.
  ///   - added: Tokens that were added to it.
  /// - Throws: ``TokenizerError`` if the tokens are not of bytes.
  init(
    keepingFirst keepsFirst: Bool, of base: any Tokenizer, and added: [AddedToken]
  ) throws(TokenizerError) {
    self.keepsFirst = keepsFirst
    guard case .utf8(let isSpelled)? = base.decodings.first else {
      throw TokenizerError(
        .unsupported(component: "'trim_offsets' of a postprocessor without bytes"))
    }
    let space = isSpelled ? [0xC4, 0xA0] : [UInt8(ascii: " ")]
    var spaces: [(leading: UInt8, trailing: UInt8)] = []
    let size = added.reduce(base.vocabularySize) { max($0, Int($1.id) + 1) }
    spaces.reserveCapacity(size)
    for id in 0..<Int32(size) {
      var (leading, trailing) = (0, 0)
      if let token = base.bytesToDecode(of: id), token.last == space.last || token.first == space[0]
      {
        var rest = token
        while rest.starts(with: space) { rest = rest.dropFirst(space.count) }
        leading = (token.count - rest.count) / space.count
        rest = token
        while rest.suffix(space.count).elementsEqual(space) { rest = rest.dropLast(space.count) }
        trailing = (token.count - rest.count) / space.count
      }
      spaces.append((UInt8(clamping: leading), UInt8(clamping: trailing)))
    }
    for token in added {
      let isSpace = { (scalar: Unicode.Scalar) in
        scalar.value == ByteAlphabet.scalars[0x20] || scalar.properties.isWhitespace
      }
      let scalars = token.content.unicodeScalars
      spaces[Int(token.id)] = (
        UInt8(clamping: scalars.prefix(while: isSpace).count),
        UInt8(clamping: scalars.reversed().prefix(while: isSpace).count)
      )
    }
    self.spaces = spaces
  }

  /// Removes spaces from the ranges of the tokens of a text.
  func apply(to tokens: inout [Token], of text: Span<UInt8>) {
    for index in tokens.indices {
      let token = tokens[index]
      let (leading, trailing) = spaces[Int(token.id)]
      guard leading > 0 || trailing > 0 else { continue }
      var start = token.range.lowerBound
      if !(keepsFirst && leading == 1 && (index == 0 || start == 0)) {
        for _ in 0..<leading where start < token.range.upperBound {
          start += UTF8Text.length(after: text[start])
        }
      }
      var end = token.range.upperBound
      for _ in 0..<trailing {
        // As in the reference, the end is kept if the text before it has fewer characters than the token has spaces.
        guard end > 0 else {
          end = token.range.upperBound
          break
        }
        end = UTF8Text.start(before: end, in: text)
      }
      tokens[index] = Token(id: token.id, range: start..<max(start, end))
    }
  }
}
