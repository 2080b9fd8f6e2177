/// The segmentation into the longest pieces of a vocabulary, or none.
struct WordPieceSegmenter: WordSegmenter {
  let trie: ByteTrie
  /// The node after the prefix of pieces that continue a word.
  let continuation: Int32
  /// The maximum number of characters of a word.
  let maxLength: Int

  func segments(of word: Span<UInt8>) -> [Segment] {
    let unknown = [Segment(id: -1, length: word.count)]
    guard UTF8Text.scalarCount(0..<word.count, of: word) <= maxLength else { return unknown }
    var segments: [Segment] = []
    var start = 0
    while start < word.count {
      var node = start == 0 ? ByteTrie.root : continuation
      var (end, id) = (-1, ByteTrie.none)
      var index = start
      while node != ByteTrie.none, index < word.count {
        node = trie.child(of: node, word[index])
        index += 1
        if node != ByteTrie.none, trie.value(of: node) != ByteTrie.none {
          (end, id) = (index, trie.value(of: node))
        }
      }
      guard end > 0 else { return unknown }
      segments.append(Segment(id: id, length: end - start))
      start = end
    }
    return segments
  }
}
