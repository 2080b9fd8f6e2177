/// A text in a template, which is compared, counted and cut by scalars, as Python does.
///
/// `String` counts grapheme clusters and takes texts as equal that differ in their normalization.
struct TemplateText: Sendable {
  /// The text in UTF-8.
  private(set) var bytes: [UInt8]
  /// Whether the text is markup: a text that is added to it is escaped.
  var isMarkup = false

  /// Creates a text from valid UTF-8.
  init(_ bytes: [UInt8], isMarkup: Bool = false) {
    (self.bytes, self.isMarkup) = (bytes, isMarkup)
  }

  /// Creates a text from a string.
  init(_ string: String) { bytes = Array(string.utf8) }

  /// Creates a text from scalars.
  init(_ scalars: some Sequence<Unicode.Scalar>) {
    bytes = []
    for scalar in scalars { append(scalar: scalar) }
  }

  /// The text as a string.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The number of bytes.
  var byteCount: Int { bytes.count }

  /// The number of scalars.
  var count: Int { bytes.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 } }

  /// Whether there is no scalar.
  var isEmpty: Bool { bytes.isEmpty }

  /// The scalars.
  var scalars: [Unicode.Scalar] { Array(string.unicodeScalars) }

  /// Appends a text.
  mutating func append(_ text: TemplateText) { bytes += text.bytes }

  /// Appends a scalar.
  mutating func append(scalar: Unicode.Scalar) { bytes.append(contentsOf: scalar.utf8) }

  /// The text with the characters of markup replaced, marked as markup.
  var escaped: TemplateText {
    guard !isMarkup else { return self }
    var escaped = TemplateText([], isMarkup: true)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "&"): escaped.bytes += "&amp;".utf8
      case UInt8(ascii: "<"): escaped.bytes += "&lt;".utf8
      case UInt8(ascii: ">"): escaped.bytes += "&gt;".utf8
      case UInt8(ascii: "'"): escaped.bytes += "&#39;".utf8
      case UInt8(ascii: "\""): escaped.bytes += "&#34;".utf8
      default: escaped.bytes.append(byte)
      }
    }
    return escaped
  }
}

extension TemplateText: Hashable, Comparable {
  static func == (left: TemplateText, right: TemplateText) -> Bool { left.bytes == right.bytes }

  // The order of UTF-8 is the order of scalars.
  static func < (left: TemplateText, right: TemplateText) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension TemplateText: ExpressibleByStringLiteral {
  init(stringLiteral string: String) { self.init(string) }
}

extension TemplateText {
  /// Returns the offset of the first occurrence of a text at or after an offset, in bytes.
  func firstOffset(of part: TemplateText, from start: Int = 0) -> Int? {
    distance(to: part, in: start..<bytes.count, isReversed: false).map { start + $0 }
  }

  /// Returns the offset of the last occurrence of a text that ends at or before an offset, in bytes.
  func lastOffset(of part: TemplateText, to end: Int) -> Int? {
    distance(to: part, in: 0..<end, isReversed: true).map { end - $0 - part.byteCount }
  }

  /// Returns the distance of the nearest occurrence from the beginning or the end of a range.
  ///
  /// The time is linear (Knuth, Morris and Pratt), because an untrusted template chooses both texts.
  private func distance(to part: TemplateText, in range: Range<Int>, isReversed: Bool) -> Int? {
    let (text, part) = (bytes.span, part.bytes.span)
    guard part.count <= range.count else { return nil }
    func byte(_ index: Int, of span: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
      span[isReversed ? range.upperBound - 1 - index : range.lowerBound + index]
    }
    let whole = 0..<part.count
    // The length of the longest beginning of the part that also ends at each position of it.
    var borders = [Int32](repeating: 0, count: part.count)
    var length = 0
    for index in whole.dropFirst() {
      let next = byte(index, of: part, whole)
      while length > 0, next != byte(length, of: part, whole) { length = Int(borders[length - 1]) }
      if next == byte(length, of: part, whole) { length += 1 }
      borders[index] = Int32(length)
    }
    length = 0
    for index in 0..<range.count {
      if length == part.count { return index - length }
      let next = byte(index, of: text, range)
      while length > 0, next != byte(length, of: part, whole) { length = Int(borders[length - 1]) }
      if next == byte(length, of: part, whole) { length += 1 }
    }
    return length == part.count ? range.count - length : nil
  }

  /// Returns the bytes of a range as a text.
  func slice(_ range: Range<Int>) -> TemplateText {
    TemplateText(Array(bytes[range]), isMarkup: isMarkup)
  }

  /// Whether the text begins with another one.
  func hasPrefix(_ prefix: TemplateText) -> Bool { bytes.starts(with: prefix.bytes) }

  /// Whether the text ends with another one.
  func hasSuffix(_ suffix: TemplateText) -> Bool {
    bytes.suffix(suffix.byteCount).elementsEqual(suffix.bytes)
  }
}
