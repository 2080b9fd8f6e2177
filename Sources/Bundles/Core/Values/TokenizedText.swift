package import TensorIOBundle

/// A text, or a pair of texts, as the numbers that a model takes.
///
/// A `text` layer of a bundle makes it of a string. An application with a tokenizer of its own can
/// create it:
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "sentiment.tiobundle")
/// let output = try model.run(TokenizedText(ids: [101, 2023, 2003, 2204, 102]))
/// ```
public struct TokenizedText: Sendable, Hashable {
  /// The texts, one or two; empty if only their tokens are known.
  public let texts: [String]
  /// The tokens' positions in the vocabulary, with padding.
  public let ids: [Int32]
  /// 1 for each token and 0 for padding.
  public let mask: [Int32]
  /// 0 for the first text and 1 for the second one.
  public let segments: [Int32]
  /// The locations of the tokens in their text, as UTF-8 offsets; `nil` for tokens that are not in a
  /// text, such as padding.
  public let ranges: [Range<Int>?]
  /// The text of each token; `nil` for tokens that are not in a text.
  package let textIndices: [Int?]
  /// The further windows of a long text; empty if this is all of it.
  package let followingWindows: [TokenizedText]
  /// Whether tokens at the end of a text are missing, because the model takes fewer.
  package let isTruncated: Bool

  /// Creates a tokenized text.
  ///
  /// - Parameters:
  ///   - ids: The tokens' positions in the vocabulary.
  ///   - mask: 1 for each token and 0 for padding; by default no token is padding.
  ///   - segments: 0 for tokens of the first text and 1 for those of the second one.
  public init(ids: [Int32], mask: [Int32]? = nil, segments: [Int32]? = nil) {
    self.init(
      texts: [], ids: ids, mask: mask ?? ids.map { _ in 1 },
      segments: segments ?? ids.map { _ in 0 },
      ranges: ids.map { _ in nil })
  }

  package init(
    texts: [String], ids: [Int32], mask: [Int32], segments: [Int32], ranges: [Range<Int>?],
    textIndices: [Int?]? = nil, followingWindows: [TokenizedText] = [], isTruncated: Bool = false
  ) {
    self.texts = texts
    self.ids = ids
    self.mask = mask
    self.segments = segments
    self.ranges = ranges
    self.textIndices = textIndices ?? zip(segments, ranges).map { $1 == nil ? nil : Int($0) }
    self.followingWindows = followingWindows
    self.isTruncated = isTruncated
  }

  /// The number of tokens, with padding.
  public var count: Int { ids.count }
}

extension TokenizedText {
  /// Returns the numbers that a tensor takes.
  package func numbers(of part: TextLayer.Part) -> Numbers {
    let values =
      switch part {
      case .ids: ids
      case .mask: mask
      case .segments: segments
      case .positions: ids.indices.map(Int32.init)
      case .continuation: [Int32](repeating: 0, count: ids.count)
      case .length: [Int32(clamping: mask.count { $0 != 0 })]
      }
    return Numbers(.integers(values.map(Int64.init)))
  }
}

extension LayerValue {
  /// Returns the numbers that a tensor takes of a tokenized text; other values unchanged.
  func numbers(of part: TextLayer.Part) -> LayerValue {
    if case .tokens(let text) = self { .numbers(text.numbers(of: part)) } else { self }
  }
}

extension [LayerValue] {
  /// The tokenized texts among the values, each once.
  var texts: [TokenizedText] {
    var texts: [TokenizedText] = []
    for case .tokens(let text) in self where text != texts.last { texts.append(text) }
    return texts
  }
}

extension [LayerValue] {
  /// The number of windows of the longest text; 1 if no text is divided.
  var textWindowCount: Int {
    reduce(1) { count, value in
      guard case .tokens(let text) = value else { return count }
      return Swift.max(count, 1 + text.followingWindows.count)
    }
  }

  /// Returns the values with a window in place of each divided text.
  func textWindow(_ index: Int) -> [LayerValue] {
    map { value in
      guard case .tokens(let text) = value, text.followingWindows.indices.contains(index - 1) else {
        return value
      }
      return .tokens(text.followingWindows[index - 1])
    }
  }
}

extension TokenizedText: LayerValueConvertible {
  /// The text as the value of an input.
  public var layerValue: LayerValue { .tokens(self) }
}

extension TokenizedText {
  /// Returns the location of the tokens from one to another, as UTF-8 offsets; `nil` if they are not
  /// in one text in this order.
  package func byteRange(fromToken first: Int, through last: Int) -> Range<Int>? {
    guard ranges.indices.contains(first), ranges.indices.contains(last), first <= last,
      textIndices[first] == textIndices[last], let start = ranges[first], let end = ranges[last],
      let text = text(of: first), start.lowerBound <= end.upperBound,
      end.upperBound <= text.utf8.count
    else { return nil }
    return start.lowerBound..<end.upperBound
  }

  /// Returns the text of the tokens from one to another; `nil` if they are not in one text in this
  /// order.
  package func text(fromToken first: Int, through last: Int) -> String? {
    guard let range = byteRange(fromToken: first, through: last), let text = text(of: first) else {
      return nil
    }
    let bytes = text.utf8
    let start = bytes.index(bytes.startIndex, offsetBy: range.lowerBound)
    return String(
      decoding: bytes[start..<bytes.index(start, offsetBy: range.count)], as: UTF8.self)
  }

  /// Returns the text that a token is in.
  private func text(of token: Int) -> String? {
    guard let index = textIndices[token], texts.indices.contains(index) else { return nil }
    return texts[index]
  }

  /// Whether the bytes on both sides of an offset in a token's text belong to one word.
  package func isWithinWord(at offset: Int, _ token: Int) -> Bool {
    guard let bytes = text(of: token)?.utf8 else { return false }
    guard offset > 0, offset < bytes.count else { return false }
    let next = bytes.index(bytes.startIndex, offsetBy: offset)
    return bytes[bytes.index(before: next)].isWordByte && bytes[next].isWordByte
  }
}

extension UInt8 {
  /// Whether the byte is a letter, a digit, or part of a character outside of ASCII.
  fileprivate var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
      true
    default: false
    }
  }
}
