/// The vocabulary and merges of a byte-level byte-pair encoding.
struct ByteLevelModel: Sendable {
  private let vocabulary: TokenVocabulary
  /// The tokens of single bytes.
  let byteIDs: [Int32]
  /// The merges.
  let merges: MergeTable

  var vocabularySize: Int { vocabulary.count }

  /// Whether each byte has a token.
  static func hasAllBytes(_ tokens: TokenizerJSON.Tokens) -> Bool {
    var found: Set<UInt8> = []
    for (range, _) in tokens.entries where range.count <= 2 {
      var bytes: [UInt8] = []
      if ByteAlphabet.append(tokens.bytes[range], to: &bytes), bytes.count == 1 {
        found.insert(bytes[0])
      }
    }
    return found.count == 256
  }

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - tokens: The tokens, with characters that stand for bytes, and their ids.
  ///   - pairs: The tokens of each merge, in order of rank.
  /// - Throws: ``TokenizerError`` if a byte or a token of a merge is missing.
  init(
    tokens: TokenizerJSON.Tokens, merges pairs: MergePairs
  ) throws(TokenizerError) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(tokens.bytes.count)
    var entries: [(range: Range<Int>, id: Int32)] = []
    entries.reserveCapacity(tokens.entries.count)
    for (range, id) in tokens.entries {
      let start = bytes.count
      // A token that is no sequence of bytes is an added token.
      if !ByteAlphabet.append(tokens.bytes[range], to: &bytes) { bytes += tokens.bytes[range] }
      entries.append((start..<bytes.count, id))
    }
    vocabulary = try TokenVocabulary(bytes: bytes, tokens: entries)
    var byteIDs: [Int32] = []
    for byte in UInt8.min...UInt8.max {
      guard let id = vocabulary.id(of: CollectionOfOne(byte)) else {
        throw TokenizerError(vocabulary: "it has no token for the byte \(byte)")
      }
      byteIDs.append(id)
    }
    self.byteIDs = byteIDs
    let merges = try pairs.merges(of: vocabulary) { text in
      var bytes: [UInt8] = []
      return ByteAlphabet.append(text, to: &bytes) ? bytes[...] : nil
    }
    self.merges = MergeTable(merges, symbols: byteIDs)
  }

  /// Returns the id of a token, or `nil` if there is none.
  func id(of token: String) -> Int32? { vocabulary.id(of: token) }

  /// Returns the id of a word of a text, or `nil` if there is none.
  func id(of word: Range<Int>, in text: Span<UInt8>) -> Int32? {
    var node = ByteTrie.root
    for index in word where node != ByteTrie.none {
      node = vocabulary.trie.child(of: node, text[index])
    }
    guard node != ByteTrie.none, vocabulary.trie.value(of: node) >= 0 else { return nil }
    return vocabulary.trie.value(of: node)
  }

  /// Returns the bytes of a token, or `nil` if no token has the id.
  func bytes(of id: Int32) -> ArraySlice<UInt8>? { vocabulary.bytes(of: id) }
}
