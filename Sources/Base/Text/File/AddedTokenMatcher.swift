/// Finds added tokens in a text: the leftmost, and of those the longest.
struct AddedTokenMatcher: Sendable {
  private let tokens: [AddedToken]
  private let trie: ByteTrie
  /// Whether a token begins with a byte.
  private let beginsToken: [Bool]

  /// Creates a matcher, or returns `nil` if there are no tokens.
  init?(_ tokens: [AddedToken]) throws(TokenizerError) {
    guard !tokens.isEmpty else { return nil }
    var bytes: [UInt8] = []
    var ranges: [Range<Int>] = []
    for token in tokens {
      ranges.append(bytes.count..<bytes.count + token.content.utf8.count)
      bytes += token.content.utf8
    }
    self.tokens = tokens
    let trie = try ByteTrie(keys: ranges, in: bytes, values: tokens.indices.map(Int32.init))
    self.trie = trie
    beginsToken = (UInt8.min...UInt8.max).map { trie.child(of: ByteTrie.root, $0) != ByteTrie.none }
  }

  /// Creates a matcher of tokens whose texts are normalized, or returns `nil` if there are no tokens.
  init?(
    _ tokens: [AddedToken], after normalizations: [TextNormalization]
  ) throws(TokenizerError) {
    var normalized: [AddedToken] = []
    for var token in tokens {
      var text = AlignedText(Array(token.content.utf8))
      for step in normalizations { try step.apply(to: &text) }
      token.content = String(decoding: text.bytes, as: UTF8.self)
      if !text.isEmpty { normalized.append(token) }
    }
    try self.init(normalized)
  }

  /// Returns the tokens in a valid text and their ranges.
  func matches(in text: Span<UInt8>) -> [(token: AddedToken, range: Range<Int>)] {
    var matches: [(token: AddedToken, range: Range<Int>)] = []
    var index = 0
    var end = 0
    let beginsToken = beginsToken.span
    while index < text.count {
      guard beginsToken[Int(text[index])], let token = token(at: index, in: text) else {
        index += 1
        continue
      }
      var range = index..<index + token.content.utf8.count
      if token.isSingleWord, isInWord(range, text) {
        index = range.upperBound
        continue
      }
      if token.stripsLeft { range = spaceStart(before: range, end, text)..<range.upperBound }
      if token.stripsRight { range = range.lowerBound..<spaceEnd(after: range, text) }
      matches.append((token, range))
      index = range.upperBound
      end = index
    }
    return matches
  }

  private func token(at index: Int, in text: Span<UInt8>) -> AddedToken? {
    var (node, value) = (ByteTrie.root, ByteTrie.none)
    var place = index
    while place < text.count {
      node = trie.child(of: node, text[place])
      guard node != ByteTrie.none else { break }
      if trie.value(of: node) != ByteTrie.none { value = trie.value(of: node) }
      place += 1
    }
    return value == ByteTrie.none ? nil : tokens[Int(value)]
  }

  private func isInWord(_ range: Range<Int>, _ text: Span<UInt8>) -> Bool {
    func isWord(_ index: Int) -> Bool {
      let (scalar, _) = UTF8Text.scalar(at: index, in: text)
      return scalar == 0x5F || !ScalarClass(of: scalar).isDisjoint(with: [.letter, .number])
    }
    return range.lowerBound > 0 && isWord(UTF8Text.start(before: range.lowerBound, in: text))
      || range.upperBound < text.count && isWord(range.upperBound)
  }

  private func spaceStart(before range: Range<Int>, _ limit: Int, _ text: Span<UInt8>) -> Int {
    var index = range.lowerBound
    while index > limit {
      let start = UTF8Text.start(before: index, in: text)
      let (scalar, _) = UTF8Text.scalar(at: start, in: text)
      guard start >= limit, ScalarClass(of: scalar).contains(.space) else { break }
      index = start
    }
    return index
  }

  private func spaceEnd(after range: Range<Int>, _ text: Span<UInt8>) -> Int {
    var index = range.upperBound
    while index < text.count {
      let (scalar, length) = UTF8Text.scalar(at: index, in: text)
      guard ScalarClass(of: scalar).contains(.space) else { break }
      index += length
    }
    return index
  }
}
