/// The tokenizer of a `text` layer, as declared in `model.json`.
package struct TokenizerDescription: Sendable, Hashable {
  /// The kind of tokenizer.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Splits at a regular expression and looks words up.
    case regex
    /// Splits words into the longest pieces of the vocabulary, as BERT does.
    case wordPiece = "wordpiece"
    /// A SentencePiece model, unigram or BPE.
    case sentencePiece = "sentencepiece"
    /// Byte-pair encoding of bytes, as GPT-2 and RoBERTa do.
    case bytePairEncoding = "bpe"
    /// A `tokenizer.json` of Hugging Face's tokenizers.
    case huggingFace = "huggingface"
    /// Looks phonemes up, symbol by symbol, and leaves out those that are not in the vocabulary.
    case phonemes
  }

  /// The kind of tokenizer.
  package var kind: Kind
  /// The vocabulary or model in `assets`.
  package var file: String
  /// The merges in `assets`, for byte-pair encoding.
  package var mergesFile: String?
  /// The regular expression at which a text is split, for the kind `regex`.
  package var delimiters: String?
  /// Whether a text is converted to lower case; `nil` for the default of the kind.
  package var lowercases: Bool?
  /// The tokens that replace the default ones of the kind, by role.
  package var specialTokens: [SpecialToken: String]

  /// A token with a role.
  package enum SpecialToken: String, Sendable, Hashable, CaseIterable {
    /// Begins a text.
    case start
    /// Ends a text.
    case end
    /// Replaces words that are not in the vocabulary.
    case unknown
    /// Fills the tensor after the text.
    case padding
    /// Precedes each phoneme, and follows the last one.
    case between
  }

  /// Creates the description of a tokenizer.
  package init(
    _ kind: Kind, file: String, mergesFile: String? = nil, delimiters: String? = nil,
    lowercases: Bool? = nil, specialTokens: [SpecialToken: String] = [:]
  ) {
    self.kind = kind
    self.file = file
    self.mergesFile = mergesFile
    self.delimiters = delimiters
    self.lowercases = lowercases
    self.specialTokens = specialTokens
  }

  /// The files in `assets` that the tokenizer reads.
  package var files: [String] { [file] + [mergesFile].compactMap(\.self) }
}
