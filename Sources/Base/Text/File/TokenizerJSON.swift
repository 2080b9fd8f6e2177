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

  /// The tokens of an object: their texts, and the places in these and the id of each.
  typealias Tokens = (bytes: [UInt8], entries: [(range: Range<Int>, id: Int32)])

  /// Returns the tokens and ids of a file with one object.
  static func vocabulary(file: [UInt8]) throws(TokenizerError) -> Tokens {
    try vocabulary(try document(file).root)
  }

  /// Returns the tokens and ids of an object; duplicates are rejected by the parser.
  private static func vocabulary(_ node: JSONNode) throws(TokenizerError) -> Tokens {
    guard let members = node.members else {
      throw TokenizerError(vocabulary: "\(node.position): expected an object of tokens and ids")
    }
    try TokenVocabulary.checkCount(node.count)
    var tokens: Tokens = ([], [])
    tokens.bytes.reserveCapacity(node.range.count)
    tokens.entries.reserveCapacity(node.count)
    for member in members {
      guard let text = member.key.utf8, let id = member.value.int.flatMap(Int32.init(exactly:))
      else {
        throw TokenizerError(vocabulary: "\(member.value.position): expected an id")
      }
      tokens.entries.append((tokens.bytes.count..<tokens.bytes.count + text.count, id))
      tokens.bytes += text
    }
    return tokens
  }

  /// Returns the tokens of a model with an object of tokens and ids.
  static func tokens(of model: JSONNode?) throws(TokenizerError) -> Tokens {
    guard let node = model?["vocab"] else {
      throw TokenizerError(vocabulary: "the tokenizer file lacks a vocabulary")
    }
    return try vocabulary(node)
  }

  /// Returns the merges of a model.
  static func merges(of model: JSONNode?) throws(TokenizerError) -> MergePairs {
    guard let nodes = model?["merges"]?.elements else {
      throw TokenizerError(vocabulary: "the tokenizer file lacks merges")
    }
    return try MergePairs(nodes)
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
