/// The vocabulary and merges of a byte-level byte-pair encoding.
struct ByteLevelModel: Sendable {
  private let vocabulary: TokenVocabulary
  /// The tokens of single bytes.
  let byteIDs: [Int32]
  /// The merges.
  let merges: MergeTable

  var vocabularySize: Int { vocabulary.count }

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - tokens: The tokens, with characters that stand for bytes, and their ids.
  ///   - pairs: The tokens of each merge, in order of rank.
  /// - Throws: ``TokenizerError`` if a byte or a token of a merge is missing.
  init(tokens: [(String, Int32)], merges pairs: [(String, String)]) throws(TokenizerError) {
    var bytes: [UInt8] = []
    var entries: [(range: Range<Int>, id: Int32)] = []
    for (token, id) in tokens {
      // A token that is no sequence of bytes is an added token.
      let text = ByteAlphabet.bytes(of: token) ?? Array(token.utf8)
      entries.append((bytes.count..<bytes.count + text.count, id))
      bytes += text
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
    try TokenVocabulary.checkCount(pairs.count)
    var merges: [MergeTable.Merge] = []
    for (rank, (left, right)) in pairs.enumerated() {
      guard let leftBytes = ByteAlphabet.bytes(of: left),
        let rightBytes = ByteAlphabet.bytes(of: right),
        let leftID = vocabulary.id(of: leftBytes), let rightID = vocabulary.id(of: rightBytes),
        let merged = vocabulary.id(of: leftBytes + rightBytes)
      else {
        throw TokenizerError(
          vocabulary: "merge \(rank + 1), '\(left) \(right)', has a token that is not in it")
      }
      merges.append(.init(left: leftID, right: rightID, merged: merged))
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
