/// The tokenizer of SentencePiece models: unigram, byte-pair encoding and characters.
///
/// ```swift
/// let tokenizer = try SentencePieceTokenizer(model: bytes)
/// let ids = try tokenizer.tokenize("Hello world").map(\.id)  // ▁Hello ▁world
/// ```
package struct SentencePieceTokenizer: Tokenizer {
  private let vocabulary: TokenVocabulary
  private let kinds: [SentencePieceModel.Kind]
  private let normalizer: SentencePieceNormalizer
  private let segmenter: any SentencePieceSegmenter
  private let unknown: Int32
  private let unknownSurface: String
  /// The ids of the pieces of bytes, if there is byte fallback.
  private let byteIDs: [Int32]?
  private let removesFirstSpace: Bool
  /// The tokens with a role.
  package let specialTokens: SpecialTokens

  /// Creates a tokenizer from a `.model` file.
  ///
  /// - Throws: ``TokenizerError`` if the file is too large or malformed, pieces are defined twice, there is not exactly
  ///   one unknown token, or the model splits text into words only.
  package init(model file: [UInt8]) throws(TokenizerError) {
    let model = try SentencePieceModel(file)
    let pieces = SentencePieceVocabulary(model)
    vocabulary = try TokenVocabulary(
      bytes: file, tokens: model.pieces.enumerated().map { ($1.bytes, Int32($0)) })
    kinds = model.pieces.map(\.kind)
    unknown = try pieces.unknown()
    unknownSurface = model.unknownSurface
    byteIDs = model.hasByteFallback ? try pieces.byteIDs() : nil
    removesFirstSpace = model.addsDummyPrefix || model.removesExtraSpaces
    normalizer = try SentencePieceNormalizer(
      model, userDefined: try pieces.trie { $0 == .userDefined })
    segmenter = try pieces.segmenter()
    let unknown = unknown
    let ids = pieces.controlIDs()
    specialTokens = SpecialTokens(
      unknown: unknown, padding: ids[model.paddingPiece], start: ids[model.startPiece],
      end: ids[model.endPiece], mask: vocabulary.id(of: "[MASK]"))
  }

  /// The number of ids.
  package var vocabularySize: Int { vocabulary.count }

  /// The arrangement of special tokens: an end token, if there is one, as in T5.
  ///
  /// A model file does not describe the arrangement.
  package var standardTemplate: EncodingTemplate {
    specialTokens.end.map(EncodingTemplate.endOnly) ?? .plain
  }

  /// Returns the tokens of a text in UTF-8.
  ///
  /// Adjacent unknown characters are one token.
  package func tokenize(_ text: [UInt8]) throws(TokenizerError) -> [Token] {
    try UTF8Text.validate(text)
    let normalized = try normalizer.normalize(text.span)
    let bytes = normalized.bytes.span
    var tokens: [Token] = []
    let segments = segmenter.segments(of: bytes)
    tokens.reserveCapacity(segments.count)
    var start = 0
    var isAfterUnknown = false
    for segment in segments {
      let end = start + segment.length
      let first = normalized.offsets[start]
      let range = first..<max(first, normalized.offsets[end])
      let isUnknown = segment.id == unknown
      if isUnknown, let byteIDs {
        for index in start..<end {
          let isLast = index == end - 1
          tokens.append(
            Token(id: byteIDs[Int(bytes[index])], range: isLast ? range : first..<first))
        }
      } else if isUnknown, isAfterUnknown, let last = tokens.last {
        tokens[tokens.count - 1] = Token(
          id: unknown, range: last.range.lowerBound..<max(last.range.lowerBound, range.upperBound))
      } else {
        tokens.append(Token(id: segment.id, range: range))
      }
      isAfterUnknown = isUnknown
      start = end
    }
    return tokens
  }

  package func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? {
    id == unknown ? Array(unknownSurface.utf8)[...] : vocabulary.bytes(of: id)
  }

  /// The steps of decoding, which drop the space that was added before the text.
  package var decodings: [TokenDecoding] {
    [
      .replaced(String(decoding: SpaceMark.bytes, as: UTF8.self), by: " "), .byteFallback, .joined,
      .stripped(" ", start: removesFirstSpace ? 1 : 0, stop: 0),
    ]
  }

  /// Whether the token of an id is a control symbol.
  package func isSpecial(_ id: Int32) -> Bool {
    kinds.indices.contains(Int(id)) && kinds[Int(id)] == .control
  }

  /// Returns the vocabulary's text of an id, or `nil` for an id without a token.
  package func text(of id: Int32) -> String? { vocabulary.text(of: id) }

  /// Returns the id of a token of the vocabulary, or `nil` if there is none.
  package func id(of token: String) -> Int32? { vocabulary.id(of: token) }
}
