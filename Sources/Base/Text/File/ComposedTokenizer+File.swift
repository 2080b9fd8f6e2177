import TensorIOJSON

extension ComposedTokenizer {
  /// Reads the steps and the model of a `tokenizer.json`.
  ///
  /// - Parameters:
  ///   - root: The file.
  ///   - normalizedTokens: The added tokens that are found after the normalization of a text.
  /// - Throws: ``TokenizerError`` if the file is malformed, or has a component that is not supported.
  init(file root: JSONNode, normalizedTokens: [AddedToken]) throws(TokenizerError) {
    let model = TokenizerJSON.value(root, "model")
    let parts: ModelParts
    switch model?["type"]?.string {
    case "Unigram": parts = try Self.unigram(model)
    case "WordPiece": parts = try Self.wordPiece(model)
    case "WordLevel": parts = try Self.words(model)
    case "BPE": parts = try Self.pairs(model)
    default: throw TokenizerJSON.unsupported("model", model)
    }
    let normalizations = try TokenizerFileSteps.normalizations(root)
    self.init(
      normalizations: normalizations,
      normalizedTokens: try AddedTokenMatcher(normalizedTokens, after: normalizations),
      splittings: try TokenizerFileSteps.splittings(root)
        + (parts.hasIndependentWords ? [.beforeSpaceMarks] : []),
      segmenter: parts.segmenter,
      vocabulary: parts.vocabulary, unknown: parts.unknown, byteIDs: parts.byteIDs,
      decodings: try TokenizerFileSteps.decodings(root))
  }

  private struct ModelParts {
    let segmenter: any WordSegmenter
    let vocabulary: TokenVocabulary
    let unknown: Int32?
    var byteIDs: [Int32]?
    /// Whether no token crosses the beginning of a word, so that words can be cached.
    var hasIndependentWords = false
  }

  private static func unigram(_ model: JSONNode?) throws(TokenizerError) -> ModelParts {
    guard let nodes = model?["vocab"]?.elements else {
      throw TokenizerError(vocabulary: "the tokenizer file lacks a vocabulary")
    }
    var bytes: [UInt8] = []
    var entries: [(range: Range<Int>, id: Int32)] = []
    var scores: [Double?] = []
    for node in nodes {
      guard let text = node[0]?.string, let score = node[1]?.double, score.isFinite,
        (1...SentencePieceModel.maxPieceBytes).contains(text.utf8.count)
      else {
        throw TokenizerError(vocabulary: "\(node.position): expected a token and its score")
      }
      entries.append((bytes.count..<bytes.count + text.utf8.count, Int32(entries.count)))
      bytes += text.utf8
      scores.append(score)
      try TokenVocabulary.checkCount(entries.count)
    }
    let vocabulary = try TokenVocabulary(bytes: bytes, tokens: entries)
    let unknown = try unknownID(model, vocabulary)
    return ModelParts(
      segmenter: try UnigramSegmenter(
        trie: vocabulary.trie, scores: scores, minScore: scores.lazy.compactMap(\.self).min() ?? 0,
        unknown: -1, precision: .double),
      vocabulary: vocabulary, unknown: unknown, byteIDs: byteIDs(model, vocabulary))
  }

  private static func unknownID(
    _ model: JSONNode?, _ vocabulary: TokenVocabulary
  ) throws(TokenizerError) -> Int32? {
    guard let node = TokenizerJSON.value(model, "unk_id") else { return nil }
    let id = try TokenizerJSON.id(node)
    guard id < vocabulary.count else {
      throw TokenizerError(vocabulary: "\(node.position): the unknown token is not in it")
    }
    return id
  }

  /// Returns the tokens of bytes, or `nil` if the model does not use them.
  private static func byteIDs(_ model: JSONNode?, _ vocabulary: TokenVocabulary) -> [Int32]? {
    guard TokenizerJSON.flag(model, "byte_fallback", default: false) else { return nil }
    let ids = (UInt8.min...UInt8.max).compactMap { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return vocabulary.id(of: "<0x\(byte < 16 ? "0" : "")\(digits)>")
    }
    return ids.count == 256 ? ids : nil
  }

  private static func wordPiece(_ model: JSONNode?) throws(TokenizerError) -> ModelParts {
    let vocabulary = try TokenVocabulary(try TokenizerJSON.tokens(of: model))
    let length = model?["max_input_chars_per_word"]?.int ?? 100
    let prefix = model?["continuing_subword_prefix"]?.string ?? "##"
    let segmenter = WordPieceSegmenter(
      trie: vocabulary.trie, continuation: vocabulary.trie.node(of: prefix.utf8),
      maxLength: Int(clamping: length))
    return ModelParts(
      segmenter: segmenter, vocabulary: vocabulary,
      unknown: vocabulary.id(of: model?["unk_token"]?.string ?? "[UNK]"))
  }

  private static func words(_ model: JSONNode?) throws(TokenizerError) -> ModelParts {
    let vocabulary = try TokenVocabulary(try TokenizerJSON.tokens(of: model))
    return ModelParts(
      segmenter: WholeWordSegmenter(trie: vocabulary.trie), vocabulary: vocabulary,
      unknown: vocabulary.id(of: model?["unk_token"]?.string ?? "<unk>"))
  }

  private static func pairs(_ model: JSONNode?) throws(TokenizerError) -> ModelParts {
    let prefix = Array((model?["continuing_subword_prefix"]?.string ?? "").utf8)
    let suffix = Array((model?["end_of_word_suffix"]?.string ?? "").utf8)
    if let node = TokenizerJSON.value(model, "dropout"), node.double != 0 {
      throw TokenizerError(.unsupported(component: "'dropout' of byte-pair encoding"))
    }
    let vocabulary = try TokenVocabulary(try TokenizerJSON.tokens(of: model))
    let byteIDs = byteIDs(model, vocabulary)
    guard byteIDs == nil || prefix.isEmpty && suffix.isEmpty else {
      throw TokenizerError(
        .unsupported(component: "'byte_fallback' with a prefix or suffix of byte-pair encoding"))
    }
    let merges = try TokenizerJSON.merges(of: model).merges(
      of: vocabulary, droppingPrefix: prefix.count)
    let ignoresMerges = TokenizerJSON.flag(model, "ignore_merges", default: false)
    let unknown = model?["unk_token"]?.string.flatMap(vocabulary.id(of:))
    let hasIndependentWords =
      !ignoresMerges && prefix.isEmpty && suffix.isEmpty
      && vocabulary.id(of: SpaceMark.bytes) != nil
      && isEachTokenAWord(merges, vocabulary, byteIDs ?? [])
    let segmenter = CharacterPairSegmenter(
      trie: vocabulary.trie,
      merges: MergeTable(
        merges,
        symbols: vocabulary.characters(prefix: prefix, suffix: suffix) + (byteIDs ?? [])
          + [unknown].compactMap(\.self)),
      unknown: unknown, fusesUnknown: TokenizerJSON.flag(model, "fuse_unk", default: false),
      byteIDs: byteIDs, ignoresMerges: ignoresMerges, prefix: prefix, suffix: suffix)
    return ModelParts(
      segmenter: segmenter, vocabulary: vocabulary, unknown: unknown,
      hasIndependentWords: hasIndependentWords)
  }

  /// Whether no merged token crosses the beginning of a word, nor has tokens of bytes.
  private static func isEachTokenAWord(
    _ merges: [MergeTable.Merge], _ vocabulary: TokenVocabulary, _ byteIDs: [Int32]
  ) -> Bool {
    let bytes = Set(byteIDs)
    return merges.allSatisfy { merge in
      guard !bytes.contains(merge.left), !bytes.contains(merge.right),
        let range = vocabulary.ranges[Int(merge.merged)]
      else { return false }
      return !SpaceMark.crossesWords(vocabulary.bytes.span.extracting(range))
    }
  }
}
