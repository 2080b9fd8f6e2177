import TensorIOJSON

/// Values of JSON files with vocabularies.
enum TokenizerJSON {
  /// Parses a file.
  static func document(_ file: [UInt8]) throws(TokenizerError) -> JSONDocument {
    try TokenVocabulary.checkSize(file)
    do {
      return try JSONDocument(
        parsing: file, limits: JSONLimits(bytes: TokenVocabulary.maxBytes),
        dialect: .byteOrderMark)
    } catch {
      throw TokenizerError(vocabulary: error.description)
    }
  }

  /// Returns the tokens and ids of a file with one object.
  static func vocabulary(file: [UInt8]) throws(TokenizerError) -> [(String, Int32)] {
    try vocabulary(try document(file).root)
  }

  /// Returns the tokens and ids of an object; duplicates are rejected by the parser.
  static func vocabulary(_ node: JSONNode) throws(TokenizerError) -> [(String, Int32)] {
    guard let members = node.members else {
      throw TokenizerError(vocabulary: "\(node.position): expected an object of tokens and ids")
    }
    try TokenVocabulary.checkCount(node.count)
    var tokens: [(String, Int32)] = []
    for member in members {
      guard let id = member.value.int.flatMap(Int32.init(exactly:)) else {
        throw TokenizerError(vocabulary: "\(member.value.position): expected an id")
      }
      tokens.append((member.name, id))
    }
    return tokens
  }

  /// Returns the tokens of merges, which are strings with a space or arrays of two strings.
  static func pairs(_ merges: JSONElements) throws(TokenizerError) -> [(String, String)] {
    var pairs: [(String, String)] = []
    for merge in merges {
      let parts =
        merge.string?.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        ?? merge.elements?.compactMap(\.string) ?? []
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
        throw TokenizerError(vocabulary: "\(merge.position): expected a merge of two tokens")
      }
      pairs.append((parts[0], parts[1]))
      try TokenVocabulary.checkCount(pairs.count)
    }
    return pairs
  }

  /// Returns the vocabulary of a model with an object of tokens and ids.
  static func tokens(of model: JSONNode?) throws(TokenizerError) -> TokenVocabulary {
    guard let node = model?["vocab"] else {
      throw TokenizerError(vocabulary: "the tokenizer file lacks a vocabulary")
    }
    var bytes: [UInt8] = []
    var entries: [(range: Range<Int>, id: Int32)] = []
    for (token, id) in try vocabulary(node) {
      entries.append((bytes.count..<bytes.count + token.utf8.count, id))
      bytes += token.utf8
    }
    return try TokenVocabulary(bytes: bytes, tokens: entries)
  }

  /// Returns a flag of an object, or a default if it is absent or `null`.
  static func flag(_ node: JSONNode?, _ key: String, default value: Bool) -> Bool {
    node?[key]?.bool ?? value
  }

  /// Returns an id, or throws.
  static func id(_ node: JSONNode?) throws(TokenizerError) -> Int32 {
    guard let id = node?.int.flatMap(Int32.init(exactly:)), id >= 0 else {
      throw TokenizerError(vocabulary: "the tokenizer file lacks an id")
    }
    return id
  }

  /// Returns a value unless it is absent or `null`.
  static func value(_ node: JSONNode?, _ key: String) -> JSONNode? {
    guard let value = node?[key], value.kind != .null else { return nil }
    return value
  }

  /// Throws that a component is not supported.
  static func unsupported(_ role: String, _ node: JSONNode?) -> TokenizerError {
    let type = node?["type"]?.string ?? node?.summary ?? "none"
    return TokenizerError(.unsupported(component: "the \(role) '\(type)'"))
  }
}
