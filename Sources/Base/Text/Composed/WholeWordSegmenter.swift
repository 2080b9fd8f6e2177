/// A vocabulary of whole words.
struct WholeWordSegmenter: WordSegmenter {
  let trie: ByteTrie

  func segments(of word: Span<UInt8>) -> [Segment] {
    var node = ByteTrie.root
    for index in word.indices where node != ByteTrie.none {
      node = trie.child(of: node, word[index])
    }
    let id = node == ByteTrie.none ? ByteTrie.none : trie.value(of: node)
    return [Segment(id: id, length: word.count)]
  }
}
