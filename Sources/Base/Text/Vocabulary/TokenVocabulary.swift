/// The tokens of a vocabulary: texts by id, and ids by text.
///
/// Several ids may have the same text; the text then has the last of these ids, as in the reference implementations.
struct TokenVocabulary: Sendable {
  /// The maximum size of a file in bytes.
  static let maxBytes = 64 << 20
  /// The maximum number of tokens.
  static let maxTokens = 2_000_000
  /// The maximum id, exclusive.
  static let maxIDs = 4_000_000

  /// The texts of all tokens.
  let bytes: [UInt8]
  /// The location of each id's text; `nil` if no token has the id.
  let ranges: [Range<Int>?]
  /// The ids by text.
  let trie: ByteTrie

  /// The number of ids.
  var count: Int { ranges.count }

  /// Creates a vocabulary.
  ///
  /// - Parameters:
  ///   - bytes: The memory with the texts.
  ///   - tokens: The location of each token's text and its id.
  /// - Throws: ``TokenizerError`` if there are no tokens or too many, or an id is out of range.
  init(bytes: [UInt8], tokens: [(range: Range<Int>, id: Int32)]) throws(TokenizerError) {
    try Self.checkCount(tokens.count)
    guard !tokens.isEmpty else { throw TokenizerError(vocabulary: "it has no tokens") }
    let largest = tokens.reduce(Int32(0)) { max($0, $1.id) }
    guard let smallest = tokens.lazy.map(\.id).min(), smallest >= 0, largest < Self.maxIDs else {
      throw TokenizerError(vocabulary: "an id is not in 0..<\(Self.maxIDs)")
    }
    var ranges = [Range<Int>?](repeating: nil, count: Int(largest) + 1)
    for (range, id) in tokens { ranges[Int(id)] = range }
    self.bytes = bytes
    self.ranges = ranges
    trie = try ByteTrie(keys: tokens.map(\.range), in: bytes, values: tokens.map(\.id))
  }

  /// Creates a vocabulary of the tokens of a file.
  init(_ tokens: TokenizerJSON.Tokens) throws(TokenizerError) {
    try self.init(bytes: tokens.bytes, tokens: tokens.entries)
  }

  /// Creates a vocabulary of texts, whose ids are their indices.
  init(_ texts: [[UInt8]]) throws(TokenizerError) {
    var bytes: [UInt8] = []
    var tokens: [(range: Range<Int>, id: Int32)] = []
    try Self.checkCount(texts.count)
    for (index, text) in texts.enumerated() {
      tokens.append((bytes.count..<bytes.count + text.count, Int32(index)))
      bytes += text
    }
    try self.init(bytes: bytes, tokens: tokens)
  }

  /// Throws if there are too many tokens.
  static func checkCount(_ count: Int) throws(TokenizerError) {
    guard count <= maxTokens else {
      throw TokenizerError(vocabulary: "it has more than \(maxTokens) tokens")
    }
  }

  /// Throws if a file is too large.
  static func checkSize(_ file: [UInt8]) throws(TokenizerError) {
    guard file.count <= maxBytes else {
      throw TokenizerError(
        vocabulary: "it has \(file.count) bytes, and the limit is \(maxBytes)")
    }
  }

  /// Returns the ids of texts of one character, without a prefix and a suffix if they have them.
  func characters(prefix: [UInt8] = [], suffix: [UInt8] = []) -> [Int32] {
    ranges.compactMap { range in
      guard let range else { return nil }
      var text = bytes[range]
      if !prefix.isEmpty, text.starts(with: prefix) { text = text.dropFirst(prefix.count) }
      if !suffix.isEmpty, text.suffix(suffix.count).elementsEqual(suffix), text.count > suffix.count
      {
        text = text.dropLast(suffix.count)
      }
      guard let first = text.first, text.count == UTF8Text.length(after: first) else { return nil }
      return id(of: bytes[range])
    }
  }

  /// Returns the id of a text, or `nil` if there is none.
  func id(of text: some Sequence<UInt8>) -> Int32? { trie.value(of: text) }

  /// Returns the id of a text, or `nil` if there is none.
  func id(of text: String) -> Int32? { trie.value(of: text.utf8) }

  /// Returns the bytes of an id's text, or `nil` if no token has the id.
  func bytes(of id: Int32) -> ArraySlice<UInt8>? {
    guard let index = Int(exactly: id), ranges.indices.contains(index), let range = ranges[index]
    else { return nil }
    return bytes[range]
  }

  /// Returns an id's text, or `nil` if no token has the id.
  func text(of id: Int32) -> String? {
    bytes(of: id).map { String(decoding: $0, as: UTF8.self) }
  }
}
