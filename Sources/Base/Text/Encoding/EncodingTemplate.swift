/// The arrangement of texts and special tokens in a sequence.
package struct EncodingTemplate: Sendable, Hashable {
  /// A part of a sequence.
  package enum Part: Sendable, Hashable {
    /// A special token with its id and segment.
    case special(Int32, segment: Int32)
    /// The tokens of the first or second text, with their segment.
    case text(EncodedText.Source, segment: Int32)

    var isSpecial: Bool { if case .special = self { true } else { false } }
  }

  /// The parts for a single text.
  package let single: [Part]
  /// The parts for two texts; empty if pairs are not supported.
  package let pair: [Part]

  /// Creates a template.
  package init(single: [Part], pair: [Part]) {
    self.single = single
    self.pair = pair
  }

  /// The text alone: no special tokens.
  package static let plain = EncodingTemplate(
    single: [.text(.first, segment: 0)],
    pair: [.text(.first, segment: 0), .text(.second, segment: 1)])

  /// Returns the template of BERT: `[CLS] first [SEP] second [SEP]`; the second part is segment 1.
  package static func bert(start: Int32, separator: Int32) -> EncodingTemplate {
    let first: [Part] = [
      .special(start, segment: 0), .text(.first, segment: 0), .special(separator, segment: 0),
    ]
    return EncodingTemplate(
      single: first,
      pair: first + [.text(.second, segment: 1), .special(separator, segment: 1)])
  }

  /// Returns the template of RoBERTa: `<s> first </s> </s> second </s>`, all in segment 0.
  package static func roberta(start: Int32, separator: Int32) -> EncodingTemplate {
    let end = Part.special(separator, segment: 0)
    let first: [Part] = [.special(start, segment: 0), .text(.first, segment: 0), end]
    return EncodingTemplate(single: first, pair: first + [end, .text(.second, segment: 0), end])
  }

  /// Returns the template of regular expression tokenizers: a start token and a text.
  package static func startOnly(_ start: Int32) -> EncodingTemplate {
    EncodingTemplate(single: [.special(start, segment: 0), .text(.first, segment: 0)], pair: [])
  }

  /// Returns the template of T5: each text with an end token.
  package static func endOnly(_ end: Int32) -> EncodingTemplate {
    let first: [Part] = [.text(.first, segment: 0), .special(end, segment: 0)]
    return EncodingTemplate(
      single: first, pair: first + [.text(.second, segment: 0), .special(end, segment: 0)])
  }

  /// Returns the usual template for the special tokens that a tokenizer has.
  package static func standard(for tokens: SpecialTokens) -> EncodingTemplate {
    switch (tokens.start, tokens.end) {
    case (let start?, let end?): bert(start: start, separator: end)
    case (let start?, nil): startOnly(start)
    case (nil, let end?): endOnly(end)
    case (nil, nil): plain
    }
  }
}
