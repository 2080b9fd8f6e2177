import TensorIOJSON

/// The texts of the merges of byte-pair encoding, in order of rank.
struct MergePairs {
  private var bytes: [UInt8] = []
  /// The start of the left text, that of the right one, and its end.
  private var places: [(start: Int, middle: Int, end: Int)] = []

  /// Reads a `merges.txt`; a line `#version` is skipped.
  init(file: [UInt8]) throws(TokenizerError) {
    let lines = try VocabularyLines(file)
    for (index, range) in lines.ranges.enumerated() {
      let line = file[range]
      if line.isEmpty || line.starts(with: "#version".utf8) { continue }
      guard append(separatedBySpace: line) else {
        throw TokenizerError(vocabulary: "line \(index + 1) of the merges is not two tokens")
      }
    }
  }

  /// Reads the merges of a `tokenizer.json`, which are strings with a space or arrays of two strings.
  init(_ nodes: JSONElements) throws(TokenizerError) {
    for node in nodes {
      var isMerge = false
      if let text = node.utf8 {
        isMerge = append(separatedBySpace: text)
      } else if node.count == 2, let left = node[0]?.utf8, let right = node[1]?.utf8 {
        isMerge = append(left, right)
      }
      guard isMerge else {
        throw TokenizerError(vocabulary: "\(node.position): expected a merge of two tokens")
      }
      try TokenVocabulary.checkCount(places.count)
    }
  }

  private mutating func append(separatedBySpace text: ArraySlice<UInt8>) -> Bool {
    guard let space = text.firstIndex(of: UInt8(ascii: " ")) else { return false }
    let right = text[(space + 1)...]
    return !right.contains(UInt8(ascii: " ")) && append(text[..<space], right)
  }

  private mutating func append(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    let start = bytes.count
    bytes += left
    let middle = bytes.count
    bytes += right
    places.append((start, middle, bytes.count))
    return !left.isEmpty && !right.isEmpty
  }

  /// Returns the merges of the tokens of a vocabulary.
  ///
  /// - Parameters:
  ///   - vocabulary: The vocabulary.
  ///   - prefix: The number of bytes at the beginning of the right token that the merged token does not have.
  ///   - spelling: Returns the bytes of the vocabulary for a text, or `nil` if there are none.
  /// - Returns: The merges in order of rank.
  /// - Throws: ``TokenizerError`` if a merge has a token that is not in the vocabulary.
  func merges(
    of vocabulary: TokenVocabulary, droppingPrefix prefix: Int = 0,
    spelling: (ArraySlice<UInt8>) -> ArraySlice<UInt8>? = { $0 }
  ) throws(TokenizerError) -> [MergeTable.Merge] {
    let trie = vocabulary.trie
    var merges: [MergeTable.Merge] = []
    merges.reserveCapacity(places.count)
    for (start, middle, end) in places {
      var merge: MergeTable.Merge?
      if let left = spelling(bytes[start..<middle]), let right = spelling(bytes[middle..<end]) {
        let node = trie.node(of: left)
        let merged = trie.node(of: right.dropFirst(prefix), from: node)
        if node != ByteTrie.none, merged != ByteTrie.none, let rightID = trie.value(of: right) {
          merge = .init(left: trie.value(of: node), right: rightID, merged: trie.value(of: merged))
        }
      }
      guard let merge, merge.left != ByteTrie.none, merge.merged != ByteTrie.none else {
        let (left, right) = (bytes[start..<middle], bytes[middle..<end])
        throw TokenizerError(
          vocabulary: "merge \(merges.count + 1), '\(String(decoding: left, as: UTF8.self)) "
            + "\(String(decoding: right, as: UTF8.self))', has a token that is not in it")
      }
      merges.append(merge)
    }
    return merges
  }
}
