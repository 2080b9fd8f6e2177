import TensorIOJSON

/// A reader of the `tokenizer.json` of Hugging Face `tokenizers`.
///
/// It supports unigram models, WordPiece, byte-level and other byte-pair encoding, and vocabularies of words, with the
/// usual normalizers and pre-tokenizers (``TokenizerFileSteps``); an error names any other component. Truncation and
/// padding of the file are left to ``TextEncoder``.
///
/// ```swift
/// let tokenizer = try TokenizerFile.tokenizer(bytes)
/// let encoder = try TextEncoder(tokenizer: tokenizer)
/// ```
package enum TokenizerFile {
  /// Returns the tokenizer that a file describes.
  ///
  /// - Parameters:
  ///   - file: The contents of a `tokenizer.json`.
  ///   - matchesSpecialTokens: Whether special tokens in a text become their ids, as in the reference. Other added
  ///     tokens always do.
  /// - Returns: The tokenizer, whose standard template is that of the file.
  /// - Throws: ``TokenizerError`` if the file is too large or malformed, or has a component that is not supported.
  package static func tokenizer(
    _ file: [UInt8], matchesSpecialTokens: Bool = true
  ) throws(TokenizerError) -> any Tokenizer {
    let root = try TokenizerJSON.document(file).root
    let all = try addedTokens(root)
    let matched = all.filter { matchesSpecialTokens || !$0.isSpecial }
    let isNormalized = TokenizerJSON.value(root, "normalizer") != nil
    let normalizedTokens = isNormalized ? matched.filter(\.isNormalized) : []
    var known: (any Tokenizer)?
    var decodings: [TokenDecoding] = []
    switch TokenizerJSON.value(root, "model")?["type"]?.string {
    case "WordPiece" where normalizedTokens.isEmpty && isBert(root):
      known = try wordPiece(root)
      decodings = try TokenizerFileSteps.decodings(root)
    case "BPE" where isGPT2(root): known = try byteLevel(root)
    default: break
    }
    let base: any Tokenizer
    if let known {
      base = known
    } else {
      base = try ComposedTokenizer(file: root, normalizedTokens: normalizedTokens)
    }
    return try FileTokenizer(
      base: base, added: all,
      matched: isNormalized ? matched.filter { !$0.isNormalized } : matched,
      postprocessor: try FilePostprocessor(root),
      decodings: decodings.isEmpty ? base.decodings : decodings,
      paddingID: try TokenizerJSON.value(root["padding"], "pad_id").map {
        node throws(TokenizerError) in
        try TokenizerJSON.id(node)
      })
  }

  private static func wordPiece(_ root: JSONNode) throws(TokenizerError) -> any Tokenizer {
    let model = root["model"]
    var settings = WordPieceTokenizer.Settings()
    settings.normalization = try normalization(TokenizerJSON.value(root, "normalizer"))
    if let prefix = model?["continuing_subword_prefix"]?.string {
      settings.continuationPrefix = prefix
    }
    if let unknown = model?["unk_token"]?.string { settings.unknownToken = unknown }
    if let length = model?["max_input_chars_per_word"]?.int {
      settings.maxWordLength = Int(clamping: length)
    }
    return try WordPieceTokenizer(
      try TokenVocabulary(try TokenizerJSON.tokens(of: model)), settings)
  }

  /// Whether the steps before the model are those of BERT.
  private static func isBert(_ root: JSONNode) -> Bool {
    let normalizer = TokenizerJSON.value(root, "normalizer")?["type"]?.string
    return TokenizerJSON.value(root, "pre_tokenizer")?["type"]?.string == "BertPreTokenizer"
      && (TokenizerJSON.value(root, "normalizer") == nil || normalizer == "BertNormalizer")
  }

  private static func normalization(_ node: JSONNode?) throws(TokenizerError) -> BertNormalization {
    var settings = BertNormalization()
    guard let node else {
      settings.cleansText = false
      settings.separatesChineseCharacters = false
      settings.lowercases = false
      return settings
    }
    settings.cleansText = TokenizerJSON.flag(node, "clean_text", default: true)
    settings.separatesChineseCharacters = TokenizerJSON.flag(
      node, "handle_chinese_chars", default: true)
    settings.lowercases = TokenizerJSON.flag(node, "lowercase", default: true)
    settings.stripsAccents = node["strip_accents"]?.bool
    return settings
  }

  /// Whether the steps and the model are those of GPT-2.
  private static func isGPT2(_ root: JSONNode) -> Bool {
    let model = root["model"]
    let isPlain = ["continuing_subword_prefix", "end_of_word_suffix"].allSatisfy {
      model?[$0]?.string?.isEmpty ?? true
    }
    return isPlain && TokenizerJSON.value(root, "normalizer") == nil
      && TokenizerJSON.value(root, "pre_tokenizer")?["type"]?.string == "ByteLevel"
      && !TokenizerJSON.flag(model, "byte_fallback", default: false)
  }

  /// Returns the tokenizer of a file with the steps of GPT-2, or `nil` if a byte has no token.
  private static func byteLevel(_ root: JSONNode) throws(TokenizerError) -> (any Tokenizer)? {
    let model = root["model"]
    let tokens = try TokenizerJSON.tokens(of: model)
    guard ByteLevelModel.hasAllBytes(tokens) else { return nil }
    let words = TokenizerJSON.value(root, "pre_tokenizer")
    var settings = ByteLevelBPETokenizer.Settings()
    settings.addsPrefixSpace = TokenizerJSON.flag(words, "add_prefix_space", default: true)
    settings.splitsWords = TokenizerJSON.flag(words, "use_regex", default: true)
    settings.ignoresMerges = TokenizerJSON.flag(model, "ignore_merges", default: false)
    return ByteLevelBPETokenizer(
      try ByteLevelModel(tokens: tokens, merges: try TokenizerJSON.merges(of: model)), settings)
  }

  private static func addedTokens(_ root: JSONNode) throws(TokenizerError) -> [AddedToken] {
    var tokens: [AddedToken] = []
    guard let nodes = TokenizerJSON.value(root, "added_tokens")?.elements else { return [] }
    for node in nodes {
      let content = node["content"]?.string ?? ""
      guard (1...AddedToken.maxBytes).contains(content.utf8.count) else {
        throw TokenizerError(vocabulary: "\(node.position): expected the text of an added token")
      }
      let id = try TokenizerJSON.id(node["id"])
      guard id < TokenVocabulary.maxIDs else {
        throw TokenizerError(vocabulary: "\(node.position): the id of an added token is too large")
      }
      tokens.append(
        AddedToken(
          content: content, id: id,
          isSpecial: TokenizerJSON.flag(node, "special", default: false),
          isNormalized: TokenizerJSON.flag(node, "normalized", default: false),
          isSingleWord: TokenizerJSON.flag(node, "single_word", default: false),
          stripsLeft: TokenizerJSON.flag(node, "lstrip", default: false),
          stripsRight: TokenizerJSON.flag(node, "rstrip", default: false)))
      try TokenVocabulary.checkCount(tokens.count)
    }
    return tokens
  }
}
