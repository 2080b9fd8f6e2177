import TensorIOJSON

extension TextLayer {
  /// The keys of `text` layers.
  static let fields: [Field<TextLayer>] = [
    ElementType.field(\.elementType),
    Field(
      "part", \.part, .choice(), default: .ids,
      """
      The part of the tokenized text that the tensor takes: the tokens' positions in the vocabulary, 1 for \
      each token and 0 for padding, 0 for the first text and 1 for the second one, the tokens' places \
      from 0, 1 if earlier tokens are in the caches of a language model, else 0, or the number of tokens.
      """
    )
    .elsewhere(hint).example("\"mask\""),
    Field(
      "same_text_as", \.source, .nonemptyString,
      "The name of the text input whose text this layer takes another part of."
    )
    .elsewhere(hint).example("\"ids\"").reporting(.unknownInput, .conflictingKeys)
    .prepared { _, node, fields, reader in
      guard fields["tokenizer"] != nil else { return }
      reader.log.error(
        .conflictingKeys, at: node, expected: "either \"tokenizer\" or \"same_text_as\"",
        "a layer with a tokenizer takes a text of its own")
    },
    Field(
      "tokenizer", \.tokenizer, TokenizerDescription.format.value, required: "a tokenizer",
      "What converts text to numbers."
    )
    .unless("same_text_as").elsewhere(hint).otherwise("required without `same_text_as`")
    .example("{\"type\": \"wordpiece\", \"file\": \"vocab.txt\"}"),
    Field(
      "max_length", \.maxLength, .count,
      """
      The maximum number of tokens, with special ones, for tensors of variable length. Longer texts are truncated at \
      their end; of a pair, the longer text first.
      """
    )
    .elsewhere(hint).otherwise("all tokens").example("256").reporting(.conflictingKeys)
    .prepared { _, node, fields, reader in
      guard fields["same_text_as"] != nil else { return }
      reader.log.error(
        .conflictingKeys, at: node, expected: "a layer with a tokenizer",
        "the layer with the tokenizer has the length of the text")
    },
  ]

  private static let hint = "valid only in text inputs"
}

extension TokenizerDescription {
  /// The keys of `tokenizer`.
  static let format = ObjectFormat(
    "a tokenizer", schema: "tokenizer", TokenizerDescription(.regex, file: ""),
    constraints: { _ in
      [
        .init("if", ["properties": ["type": ["const": "bpe"]], "required": ["type"]]),
        .init("then", ["required": ["merges"]]),
      ]
    }
  ) {
    Field(
      "type", \.kind, .choice(), required: "the kind of tokenizer",
      """
      What the tokenizer does: `regex` splits at a regular expression and looks words up, `wordpiece` is \
      BERT's, `sentencepiece` reads unigram and BPE models, `bpe` merges bytes as GPT-2 and RoBERTa do, \
      `huggingface` reads a [`tokenizer.json`](#tokenizerjson), and `phonemes` looks symbols up in a JSON object with their ids
      """
    )
    .example("\"wordpiece\"")
    Field("file", \.file, .fileName, "The vocabulary or model in `assets`.")
      .example("\"vocab.txt\"")
    Field("merges", \.mergesFile, .fileName, "The merges in `assets`, for byte-pair encoding.")
      .otherwise("required for `bpe`").example("\"merges.txt\"")
      .ifMissing { tokenizer, fields, reader in
        guard tokenizer.kind == .bytePairEncoding, fields.valid("file") != nil else { return }
        reader.log.missingKey(
          "merges", in: fields.node, expected: "the file with the merges",
          "missing key \"merges\"", suggestion: "add \"merges\", the file with the merges")
      }
    Field(
      "delimiters", \.delimiters, .nonemptyString,
      "The regular expression at which a text is split, for the kind `regex`."
    )
    .otherwise("characters other than letters, digits, `_` and apostrophes")
    .example("\"[^\\\\w\\\\']+\"")
    Field("lowercase", \.lowercases, .boolean, "Whether text is converted to lower case.")
      .otherwise("`true` for `wordpiece`, else `false`")
    SpecialToken.allCases.map { token in
      Field(token.rawValue, \.specialTokens[token], .string, token.summary).otherwise(
        "that of the kind, such as `[CLS]`"
      )
      .example("\"<\(token.rawValue.uppercased())>\"")
    }
  }
}

extension TokenizerDescription.SpecialToken {
  fileprivate var summary: String {
    switch self {
    case .start: "The token that begins a text; an empty string for none."
    case .end: "The token that ends a text; an empty string for none."
    case .unknown: "The token of words that are not in the vocabulary, for `wordpiece`."
    case .padding: "The token that fills the tensor after the text."
    case .between: "The symbol before each other one, and after the last one, for `phonemes`."
    }
  }
}
