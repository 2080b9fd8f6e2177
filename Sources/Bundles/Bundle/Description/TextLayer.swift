/// The declaration of a `text` layer: a tensor with numbers that a tokenizer makes of a text.
public struct TextLayer: Sendable, Hashable {
  /// The part of a tokenized text that a tensor takes.
  package enum Part: String, Sendable, Hashable, CaseIterable {
    /// The tokens' positions in the vocabulary.
    case ids
    /// 1 for each token and 0 for padding.
    case mask
    /// 0 for the first text and 1 for the second one.
    case segments
    /// The places of the tokens in the text, from 0.
    case positions
    /// 1 if earlier tokens of the text are in the caches, and 0 in the first step.
    case continuation
    /// The number of tokens.
    case length
  }

  /// The declared shape.
  public var shape: TensorShape
  /// The declared element type; if `nil`, the tensor determines it.
  public var elementType: ElementType?
  /// The part of the tokenized text that the tensor takes.
  package var part: Part
  /// The tokenizer; `nil` in a layer that takes another part of the same text as another layer.
  package var tokenizer: TokenizerDescription?
  /// The name of the layer with the tokenizer; `nil` in that layer itself.
  package var source: String?
  /// The maximum number of tokens of a tensor of variable length; `nil` if the text determines it.
  package var maxLength: Int?

  /// Creates the declaration of a text layer.
  package init(
    shape: TensorShape, elementType: ElementType? = nil, part: Part = .ids,
    tokenizer: TokenizerDescription? = nil, source: String? = nil, maxLength: Int? = nil
  ) {
    self.shape = shape
    self.elementType = elementType
    self.part = part
    self.tokenizer = tokenizer
    self.source = source
    self.maxLength = maxLength
  }
}
