/// Byte-pair encoding of characters.
struct CharacterPairSegmenter: WordSegmenter {
  let trie: ByteTrie
  let merges: MergeTable
  /// The token for characters that are not in the vocabulary; they are left out if there is none, as in the reference.
  let unknown: Int32?
  /// Whether adjacent unknown characters are one token.
  let fusesUnknown: Bool
  /// The tokens of bytes, for characters that are not in the vocabulary.
  let byteIDs: [Int32]?
  /// Whether a word that is a token is not built by merges.
  let ignoresMerges: Bool
  /// What characters but the first of a word begin with in the vocabulary.
  let prefix: [UInt8]
  /// What the last character of a word ends with in the vocabulary.
  let suffix: [UInt8]

  func segments(of word: Span<UInt8>) -> [Segment] {
    if ignoresMerges {
      let whole = WholeWordSegmenter(trie: trie).segments(of: word)
      if whole[0].id >= 0 { return whole }
    }
    var merger = WordMerger()
    var unknownLength = 0
    var index = 0
    while index < word.count {
      let range = index..<index + UTF8Text.length(after: word[index])
      index = range.upperBound
      let id = id(of: range, in: word)
      if id != ByteTrie.none {
        addUnknown(&unknownLength, to: &merger)
        merger.append(id, length: range.count)
      } else if let byteIDs {
        for place in range { merger.append(byteIDs[Int(word[place])], length: 1) }
      } else if unknown != nil {
        if !fusesUnknown { addUnknown(&unknownLength, to: &merger) }
        unknownLength += range.count
      }
    }
    addUnknown(&unknownLength, to: &merger)
    merger.merge(by: merges)
    return merger.tokens
  }

  private func addUnknown(_ length: inout Int, to merger: inout WordMerger) {
    if let unknown, length > 0 { merger.append(unknown, length: length) }
    length = 0
  }

  /// Returns the token of a character of a word, or `none`.
  private func id(of range: Range<Int>, in word: Span<UInt8>) -> Int32 {
    var node = ByteTrie.root
    if range.lowerBound > 0, !prefix.isEmpty { node = trie.node(of: prefix) }
    for index in range where node != ByteTrie.none { node = trie.child(of: node, word[index]) }
    if range.upperBound == word.count, !suffix.isEmpty { node = trie.node(of: suffix, from: node) }
    return node == ByteTrie.none ? ByteTrie.none : trie.value(of: node)
  }
}
