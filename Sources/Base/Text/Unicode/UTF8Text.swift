/// Validation and decoding of UTF-8.
enum UTF8Text {
  /// The maximum length of texts, also after normalization: lengths have 32 bits.
  static let maxBytes = Int(Int32.max)

  /// Throws the offset of the first invalid sequence, if any.
  static func validate(_ text: [UInt8]) throws(TokenizerError) {
    try checkLength(text.count)
    if let offset = firstInvalidOffset(in: text.span) {
      throw TokenizerError(.invalidUTF8(offset: offset))
    }
  }

  /// Throws if a text is too long.
  static func checkLength(_ count: Int) throws(TokenizerError) {
    guard count <= maxBytes else {
      throw TokenizerError(.unsuitableText(message: "it has more than 2 GB"))
    }
  }

  /// Returns the offset of the first invalid sequence, or `nil` if the text is valid.
  static func firstInvalidOffset(in text: Span<UInt8>) -> Int? {
    var index = 0
    while index < text.count {
      let length = text[index] < 0x80 ? 1 : sequenceLength(at: index, in: text)
      guard length > 0 else { return index }
      index += length
    }
    return nil
  }

  /// Returns the length of the valid sequence of a scalar beyond ASCII, or 0 if it is invalid.
  private static func sequenceLength(at index: Int, in text: Span<UInt8>) -> Int {
    let (length, isWhole) = beginning(at: index, in: text)
    return isWhole ? length : 0
  }

  /// Returns the length of the longest beginning of a valid sequence at an offset, or 0 if there is none, and whether it is whole.
  static func beginning(
    at index: Int, in text: Span<UInt8>
  ) -> (length: Int, isWhole: Bool) {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch text[index] {
    case 0..<0x80: return (1, true)
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)  // no surrogates
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return (0, false)
    }
    guard index + 1 < text.count, second.contains(text[index + 1]) else { return (1, false) }
    var found = 2
    while found < length, index + found < text.count, text[index + found] & 0xC0 == 0x80 {
      found += 1
    }
    return (found, found == length)
  }

  /// Returns the scalar at an offset of a valid text, and its length in bytes.
  @inline(__always)
  static func scalar(at index: Int, in text: Span<UInt8>) -> (value: UInt32, length: Int) {
    let first = UInt32(text[index])
    if first < 0x80 { return (first, 1) }
    let second = UInt32(text[index + 1] & 0x3F)
    if first < 0xE0 { return ((first & 0x1F) << 6 | second, 2) }
    let third = UInt32(text[index + 2] & 0x3F)
    if first < 0xF0 { return ((first & 0x0F) << 12 | second << 6 | third, 3) }
    return ((first & 0x07) << 18 | second << 12 | third << 6 | UInt32(text[index + 3] & 0x3F), 4)
  }

  /// Returns the scalar before an offset of a valid text, or `nil` at its beginning.
  static func scalar(before index: Int, in text: Span<UInt8>) -> UInt32? {
    guard index > 0 else { return nil }
    return scalar(at: start(before: index, in: text), in: text).value
  }

  /// Returns the start of the scalar before an offset of a valid text, which is not its beginning.
  @inline(__always)
  static func start(before index: Int, in text: Span<UInt8>) -> Int {
    var start = index - 1
    while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }

  /// Returns the length in bytes of the sequence that begins with a byte of a valid text.
  @inline(__always)
  static func length(after first: UInt8) -> Int {
    first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
  }

  /// Appends the UTF-8 of a scalar.
  @inline(__always)
  static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    if scalar < 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: scalar))
      return
    }
    if scalar < 0x800 {
      bytes.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
    } else if scalar < 0x1_0000 {
      bytes.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
    } else {
      bytes.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
    }
    bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
  }

  /// Writes the UTF-8 of a scalar, whose length is given, in place of bytes.
  @inline(__always)
  static func write(_ scalar: UInt32, length: Int, at index: Int, in bytes: inout [UInt8]) {
    guard length > 1 else {
      bytes[index] = UInt8(truncatingIfNeeded: scalar)
      return
    }
    var rest = scalar
    for place in (index + 1..<index + length).reversed() {
      bytes[place] = UInt8(truncatingIfNeeded: 0x80 | rest & 0x3F)
      rest >>= 6
    }
    bytes[index] = UInt8(truncatingIfNeeded: 0xF00 >> UInt32(length) & 0xFF | rest)
  }

  /// Returns the length of the UTF-8 of a scalar.
  static func length(of scalar: UInt32) -> Int {
    scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x1_0000 ? 3 : 4
  }

  /// Returns the number of scalars in a range of a valid text.
  static func scalarCount(_ range: Range<Int>, of text: Span<UInt8>) -> Int {
    range.reduce(0) { text[$1] & 0xC0 == 0x80 ? $0 : $0 + 1 }
  }
}
