/// The bytes of the tokens of a vocabulary that are text, in a tree.
package final class TokenBytes: Sendable {
  /// The bytes, with the last of the tokens that have them.
  let trie: ByteTrie
  /// For each token the one before it with the same bytes, or -1.
  private let twins: [Int32]
  private let tokens: [[UInt8]]
  /// The number of ids.
  var count: Int { tokens.count }
  /// The number of bytes of the longest token.
  package let maxLength: Int
  /// For each byte, whether a token has it.
  let usableBytes: [Bool]

  /// Creates the tree of a vocabulary.
  ///
  /// - Parameters:
  ///   - tokenizer: The vocabulary.
  ///   - excluded: Tokens that are no text, in addition to special ones, such as those that end a text.
  /// - Throws: ``TokenizerError`` if the tree is too large.
  package init(
    of tokenizer: any Tokenizer, excluding excluded: Set<Int32>
  ) throws(TokenizerError) {
    var tokens: [[UInt8]] = []
    tokens.reserveCapacity(tokenizer.vocabularySize)
    var last: [[UInt8]: Int32] = [:]
    var twins: [Int32] = []
    var usableBytes = [Bool](repeating: false, count: 256)
    for id in 0..<Int32(clamping: tokenizer.vocabularySize) {
      let bytes = excluded.contains(id) ? [] : tokenizer.bytes(of: id) ?? []
      tokens.append(bytes)
      twins.append(bytes.isEmpty ? ByteTrie.none : last.updateValue(id, forKey: bytes) ?? -1)
      for byte in bytes { usableBytes[Int(byte)] = true }
    }
    let ids = last.values.sorted()
    var joined: [UInt8] = []
    let ranges = ids.map { id in
      joined += tokens[Int(id)]
      return joined.count - tokens[Int(id)].count..<joined.count
    }
    trie = try ByteTrie(keys: ranges, in: joined, values: ids)
    maxLength = tokens.reduce(0) { max($0, $1.count) }
    (self.tokens, self.twins, self.usableBytes) = (tokens, twins, usableBytes)
  }

  /// Returns the bytes of a token; empty if it is no text.
  func bytes(of id: Int32) -> [UInt8] {
    id >= 0 && Int(id) < tokens.count ? tokens[Int(id)] : []
  }

  /// Allows the tokens with the bytes of a node.
  @inline(__always)
  func insert(_ node: Int32, in mask: inout TokenMask) {
    var id = trie.value(of: node)
    while id != ByteTrie.none {
      mask.insert(id)
      id = twins[Int(id)]
    }
  }
}
