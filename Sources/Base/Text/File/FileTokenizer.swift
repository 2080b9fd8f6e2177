/// A tokenizer of a `tokenizer.json`: a model, and tokens that were added to it.
struct FileTokenizer: Tokenizer {
  private let base: any Tokenizer
  private let matcher: AddedTokenMatcher?
  private let trimming: SpaceTrimming?
  private let added: [Int32: AddedToken]
  private let addedIDs: [String: Int32]
  let vocabularySize: Int
  let specialTokens: SpecialTokens
  let standardTemplate: EncodingTemplate
  let decodings: [TokenDecoding]

  /// Creates a tokenizer.
  ///
  /// - Parameters:
  ///   - base: The model with the steps before it.
  ///   - added: The added tokens.
  ///   - matched: Those that are found in a text before the steps.
  ///   - postprocessor: What is done to the tokens.
  ///   - decodings: The steps of decoding.
  ///   - paddingID: The id of padding, if the file has one.
  /// - Throws: ``TokenizerError`` if there are too many added tokens, or a postprocessor does not suit the model.
  init(
    base: any Tokenizer, added: [AddedToken], matched: [AddedToken],
    postprocessor: FilePostprocessor, decodings: [TokenDecoding], paddingID: Int32?
  ) throws(TokenizerError) {
    self.base = base
    matcher = try AddedTokenMatcher(matched)
    trimming = try postprocessor.keepsFirstSpace.map { keepsFirst throws(TokenizerError) in
      try SpaceTrimming(keepingFirst: keepsFirst, of: base, and: added)
    }
    self.decodings = decodings
    self.added = Dictionary(added.map { ($0.id, $0) }) { $1 }
    addedIDs = Dictionary(added.map { ($0.content, $0.id) }) { $1 }
    standardTemplate = postprocessor.template
    vocabularySize = added.reduce(base.vocabularySize) { max($0, Int($1.id) + 1) }
    var special = base.specialTokens
    let ids = addedIDs
    func first(_ names: String...) -> Int32? { names.lazy.compactMap { ids[$0] }.first }
    special.unknown = special.unknown ?? first("[UNK]", "<unk>")
    special.padding = paddingID ?? special.padding ?? first("[PAD]", "<pad>")
    special.mask = special.mask ?? first("[MASK]", "<mask>")
    (special.start, special.end) = Self.ends(of: postprocessor.template.single)
    specialTokens = special
  }

  /// Returns the special tokens at the beginning and the end of a sequence.
  private static func ends(of parts: [EncodingTemplate.Part]) -> (Int32?, Int32?) {
    var ends: (Int32?, Int32?)
    if case .special(let id, _)? = parts.first { ends.0 = id }
    if parts.count > 1, case .special(let id, _)? = parts.last { ends.1 = id }
    return ends
  }

  func tokenize(_ text: [UInt8]) throws(TokenizerError) -> [Token] {
    try UTF8Text.validate(text)
    var tokens = try tokens(of: text)
    trimming?.apply(to: &tokens, of: text.span)
    return tokens
  }

  private func tokens(of text: [UInt8]) throws(TokenizerError) -> [Token] {
    let matches = matcher?.matches(in: text.span) ?? []
    guard !matches.isEmpty else { return try base.tokenize(text) }
    let composed = base as? ComposedTokenizer
    var tokens: [Token] = []
    var start = 0
    for (token, range) in matches {
      try append(start..<range.lowerBound, of: text, composed, to: &tokens)
      tokens.append(Token(id: token.id, range: range))
      start = range.upperBound
    }
    try append(start..<text.count, of: text, composed, to: &tokens)
    return tokens
  }

  private func append(
    _ range: Range<Int>, of text: [UInt8], _ composed: ComposedTokenizer?,
    to tokens: inout [Token]
  ) throws(TokenizerError) {
    guard !range.isEmpty else { return }
    let start = range.lowerBound
    let part = Array(text[range])
    let found: [Token]
    if let composed {
      found = try composed.tokenize(part, isAtStart: start == 0)
    } else {
      found = try base.tokenize(part)
    }
    for token in found {
      tokens.append(
        Token(id: token.id, range: token.range.lowerBound + start..<token.range.upperBound + start))
    }
  }

  func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? {
    added[id].map { Array($0.content.utf8)[...] } ?? base.bytesToDecode(of: id)
  }

  func text(of id: Int32) -> String? { added[id]?.content ?? base.text(of: id) }

  func id(of token: String) -> Int32? { addedIDs[token] ?? base.id(of: token) }

  func isSpecial(_ id: Int32) -> Bool { added[id]?.isSpecial ?? false }
}
