/// Byte-pair encoding of characters.
struct CharacterPairSegmenter: WordSegmenter {
  let trie: ByteTrie
  let merges: MergeTable
  /// The tokens of bytes, for characters that are not in the vocabulary.
  let byteIDs: [Int32]?
  let joinsUnknown: Bool
  /// Whether a word that is a token is not built by merges.
  let ignoresMerges: Bool

  func segments(of word: Span<UInt8>) -> [Segment] {
    if ignoresMerges {
      let whole = WholeWordSegmenter(trie: trie).segments(of: word)
      if whole[0].id >= 0 { return whole }
    }
    var merger = WordMerger()
    var index = 0
    while index < word.count {
      let length = UTF8Text.length(after: word[index])
      var node = ByteTrie.root
      for place in index..<index + length where node != ByteTrie.none {
        node = trie.child(of: node, word[place])
      }
      let id = node == ByteTrie.none ? ByteTrie.none : trie.value(of: node)
      if id == ByteTrie.none, let byteIDs {
        for place in index..<index + length { merger.append(byteIDs[Int(word[place])], length: 1) }
      } else if id == ByteTrie.none, joinsUnknown, merger.tokens.last?.id == ByteTrie.none {
        merger.extendLast(by: length)
      } else {
        merger.append(id, length: length)
      }
      index += length
    }
    merger.merge(by: merges)
    return merger.tokens
  }
}
