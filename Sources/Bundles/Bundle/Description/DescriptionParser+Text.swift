import TensorIOJSON

/// Parsing of `text` layers.
extension DescriptionParser {
  mutating func parseTextLayer(
    _ shape: TensorShape?, in fields: ObjectFields
  ) -> TextLayer? {
    let type = fields["dtype"].flatMap { parseElementType($0) }
    let part =
      fields["part"].map { parseChoice($0, of: TextLayer.Part.self, else: .unknownSetting) } ?? .ids
    let source = fields["same_text_as"].flatMap { parseNonemptyString($0) }
    if let node = fields["same_text_as"], fields["tokenizer"] != nil {
      log.error(
        .conflictingKeys, at: node, expected: "either \"tokenizer\" or \"same_text_as\"",
        "a layer with a tokenizer takes a text of its own")
    }
    let tokenizer: TokenizerDescription?
    if fields["same_text_as"] == nil {
      let node = requireMember("tokenizer", in: fields, "a tokenizer")
      tokenizer = node.flatMap { parseTokenizer($0) }
      guard tokenizer != nil else { return nil }
    } else {
      guard source != nil else { return nil }
      tokenizer = nil
    }
    guard let shape, let part else { return nil }
    return TextLayer(
      shape: shape, elementType: type, part: part, tokenizer: tokenizer, source: source)
  }

  private mutating func parseTokenizer(_ node: JSONNode) -> TokenizerDescription? {
    guard let fields = parseFields(of: node, .tokenizer) else { return nil }
    let kind = requireMember("type", in: fields, "the kind of tokenizer")
      .flatMap { parseChoice($0, of: TokenizerDescription.Kind.self, else: .unknownSetting) }
    let file = requireMember("file", in: fields, "a file name").flatMap { parseFileName($0) }
    let merges = fields["merges"].flatMap { parseFileName($0) }
    let delimiters = fields["delimiters"].flatMap { parseNonemptyString($0) }
    let lowercases = fields["lowercase"].flatMap { parseBool($0) }
    var tokens: [TokenizerDescription.SpecialToken: String] = [:]
    for token in TokenizerDescription.SpecialToken.allCases {
      tokens[token] = fields[token.rawValue].flatMap { parseString($0) }
    }
    guard let kind, let file else { return nil }
    if kind == .bytePairEncoding {
      _ = requireMember("merges", in: fields, "the file with the merges")
    }
    return TokenizerDescription(
      kind, file: file, mergesFile: merges, delimiters: delimiters, lowercases: lowercases,
      specialTokens: tokens)
  }

  /// Checks that layers that share a text name a layer with a tokenizer.
  mutating func checkTextSources(_ root: ObjectFields) {
    let lists = [root["inputs"], root["train"]?["inputs"], root["eval"]?["inputs"]]
    for list in lists.compactMap({ $0?.elements.map(Array.init) }) {
      let names = list.filter { $0["tokenizer"] != nil }.compactMap { $0["name"]?.string }
      for layer in list where !log.isFull {
        guard let node = layer["same_text_as"], let name = node.string, !names.contains(name)
        else { continue }
        let match = Spelling.closestMatch(to: name, among: names)
        log.error(
          .unknownInput, at: node, expected: "the name of a text input with a tokenizer",
          "no text input with a tokenizer is named \(node.excerpt)",
          suggestion: match.map { "did you mean \"\($0)\"?" })
      }
    }
  }
}
