import TensorIOJSON

extension ComposedTokenizer {
  /// Reads the steps and the model of a `tokenizer.json`.
  init(file root: JSONNode) throws(TokenizerError) {
    let model = TokenizerJSON.value(root, "model")
    let parts: ModelParts
    switch model?["type"]?.string {
    case "Unigram": parts = try Self.unigram(model)
    case "WordPiece": parts = try Self.wordPiece(model)
    case "WordLevel": parts = try Self.words(model)
    case "BPE": parts = try Self.pairs(model)
    default: throw TokenizerJSON.unsupported("model", model)
    }
    guard !FilePostprocessor.trimsRanges(root) else {
      throw TokenizerJSON.unsupported(
        "postprocessor", TokenizerJSON.value(root, "post_processor"))
    }
    self.init(
      normalizations: try TokenizerFileSteps.normalizations(root),
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
    let vocabulary = try TokenizerJSON.tokens(of: model)
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
    let vocabulary = try TokenizerJSON.tokens(of: model)
    return ModelParts(
      segmenter: WholeWordSegmenter(trie: vocabulary.trie), vocabulary: vocabulary,
      unknown: vocabulary.id(of: model?["unk_token"]?.string ?? "<unk>"))
  }

  private static func pairs(_ model: JSONNode?) throws(TokenizerError) -> ModelParts {
    for key in ["continuing_subword_prefix", "end_of_word_suffix"]
    where model?[key]?.string?.isEmpty == false {
      throw TokenizerError(.unsupported(component: "'\(key)' of byte-pair encoding"))
    }
    guard let nodes = model?["merges"]?.elements else {
      throw TokenizerError(vocabulary: "the tokenizer file lacks a vocabulary or merges")
    }
    let vocabulary = try TokenizerJSON.tokens(of: model)
    let pairs = try TokenizerJSON.pairs(nodes)
    let byteIDs = byteIDs(model, vocabulary)
    let bytes = Set(byteIDs ?? [])
    let ignoresMerges = TokenizerJSON.flag(model, "ignore_merges", default: false)
    var merges: [MergeTable.Merge] = []
    var hasIndependentWords = !ignoresMerges && vocabulary.id(of: SpaceMark.bytes) != nil
    for (rank, (left, right)) in pairs.enumerated() {
      guard let first = vocabulary.id(of: left), let second = vocabulary.id(of: right),
        let merged = vocabulary.id(of: left + right)
      else {
        throw TokenizerError(
          vocabulary: "merge \(rank + 1), '\(left) \(right)', has a token that is not in it")
      }
      merges.append(.init(left: first, right: second, merged: merged))
      if SpaceMark.crossesWords(Array((left + right).utf8).span) || bytes.contains(first)
        || bytes.contains(second)
      {
        hasIndependentWords = false
      }
    }
    let segmenter = CharacterPairSegmenter(
      trie: vocabulary.trie,
      merges: MergeTable(merges, symbols: vocabulary.characters + (byteIDs ?? [])),
      byteIDs: byteIDs,
      joinsUnknown: TokenizerJSON.flag(model, "fuse_unk", default: false),
      ignoresMerges: ignoresMerges)
    return ModelParts(
      segmenter: segmenter, vocabulary: vocabulary,
      unknown: model?["unk_token"]?.string.flatMap(vocabulary.id(of:)),
      hasIndependentWords: hasIndependentWords)
  }
}
