import TensorIOJSON

/// A tokenizer of phonemes for voices: each symbol has its ids, and others are left out.
///
/// A symbol that the vocabulary does not have is decomposed (normalization form D), because voices list the marks of combined
/// letters alone.
///
/// ```swift
/// let tokenizer = try PhonemeTokenizer(vocabulary: bytes, between: "_")
/// let ids = try tokenizer.tokenize("həlˈoʊ").map(\.id)
/// ```
package struct PhonemeTokenizer: Tokenizer {
  private let ids: [Unicode.Scalar: [Int32]]
  private let symbols: [Int32: String]
  private let between: Int32?
  /// None: a bundle names the symbols with a role.
  package let specialTokens = SpecialTokens()
  /// The number of ids.
  package let vocabularySize: Int

  /// The maximum number of symbols, and the highest id.
  private static let maxCount = 1 << 16

  /// Creates a tokenizer.
  ///
  /// - Parameters:
  ///   - file: A JSON object with the id, or the list of ids, of each symbol. Keys of several characters have no effect.
  ///   - between: The symbol that precedes each other one, and follows the last one; `nil` for none.
  /// - Throws: ``TokenizerError`` if the file is no such object, or lacks the symbol.
  package init(vocabulary file: [UInt8], between: String? = nil) throws(TokenizerError) {
    var ids: [Unicode.Scalar: [Int32]] = [:]
    var symbols: [Int32: String] = [:]
    var highest: Int32 = -1
    for (symbol, value) in try Self.members(of: file) {
      guard let numbers = Self.numbers(value) else {
        throw TokenizerError(vocabulary: "'\(symbol)' has no id, or list of ids")
      }
      highest = max(highest, numbers.max() ?? -1)
      let scalars = symbol.unicodeScalars
      guard let scalar = scalars.first, scalars.count == 1 else { continue }
      ids[scalar] = numbers
      if let first = numbers.first { symbols[first] = symbol }
    }
    (self.ids, self.symbols) = (ids, symbols)
    vocabularySize = Int(highest) + 1
    self.between = try between.map { (symbol) throws(TokenizerError) in
      guard let scalar = symbol.unicodeScalars.first, let id = ids[scalar]?.first else {
        throw TokenizerError(vocabulary: "it has no symbol '\(symbol)'")
      }
      return id
    }
  }

  private static func members(
    of file: [UInt8]
  ) throws(TokenizerError) -> [(name: String, value: JSONValue)] {
    do throws(JSONError) {
      let root = try JSONDocument(parsing: file).root.value
      let members = root.members ?? []
      if !members.isEmpty, members.count <= maxCount { return members.map { ($0.key, $0.value) } }
    } catch {
      throw TokenizerError(vocabulary: "\(error)")
    }
    throw TokenizerError(vocabulary: "it is no object with 1 to \(maxCount) symbols")
  }

  private static func numbers(_ value: JSONValue) -> [Int32]? {
    let elements = value.elements ?? [value]
    let numbers = elements.compactMap { element in
      element.int.flatMap { (0..<maxCount).contains($0) ? Int32($0) : nil }
    }
    return numbers.count == elements.count && !numbers.isEmpty ? numbers : nil
  }

  /// Returns the tokens of phonemes in UTF-8.
  package func tokenize(_ text: [UInt8]) throws(TokenizerError) -> [Token] {
    try UTF8Text.validate(text)
    var tokens: [Token] = []
    var end = 0
    func appendMark() { between.map { tokens.append(Token(id: $0, range: end..<end)) } }
    appendMark()
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      let range = end..<end + UTF8.width(scalar)
      end = range.upperBound
      for part in parts(of: scalar) {
        guard let ids = ids[part] else { continue }
        for id in ids { tokens.append(Token(id: id, range: range)) }
        appendMark()
      }
    }
    return tokens
  }

  /// Returns how many symbols of phonemes the vocabulary has, and adds those that it lacks to a set.
  package func symbolCount(
    of phonemes: String, missing: inout Set<Unicode.Scalar>
  ) -> Int {
    var count = 0
    for scalar in phonemes.unicodeScalars {
      for part in parts(of: scalar) {
        if ids[part] == nil { missing.insert(part) } else { count += 1 }
      }
    }
    return count
  }

  /// Returns a symbol, or those that it consists of if the vocabulary does not have it.
  private func parts(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    guard ids[scalar] == nil else { return [scalar] }
    var parts: [Unicode.Scalar] = []
    CanonicalDecomposition.shared.forEach(of: scalar.value) { value in
      if let part = Unicode.Scalar(value) { parts.append(part) }
    }
    return parts
  }

  /// Whether a symbol consists of others, by which texts in normalization form D have it.
  package static func isDecomposed(_ symbol: String) -> Bool {
    symbol.unicodeScalars.contains { scalar in
      var first: UInt32?
      CanonicalDecomposition.shared.forEach(of: scalar.value) { first = first ?? $0 }
      return first != scalar.value
    }
  }

  package func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? {
    symbols[id].map { Array($0.utf8)[...] }
  }

  /// The symbols are the text.
  package var decodings: [TokenDecoding] { [] }

  /// Returns the symbol of an id, or `nil` for an id without a symbol.
  package func text(of id: Int32) -> String? { symbols[id] }

  /// Returns the id of a symbol, or `nil` if there is none.
  package func id(of token: String) -> Int32? {
    let scalars = token.unicodeScalars
    return scalars.count == 1 ? scalars.first.flatMap { ids[$0]?.first } : nil
  }
}
