/// The bytes that a string of a document stands for.
///
/// Two texts are equal when their bytes are, which is not what two `String`s make of it: those
/// are also equal when they merely look alike.
struct JSONString: Equatable {
  let bytes: ArraySlice<UInt8>

  /// The bytes between the quotes, with escapes resolved.
  init(_ entry: JSONEntry, in text: [UInt8]) {
    let inside = text[entry.range.lowerBound + 1..<entry.range.upperBound - 1]
    bytes = entry.kind == .escapedString ? JSONString.resolved(inside)[...] : inside
  }

  /// The bytes as a string.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// A hash of the bytes and the object that they are a key of.
  func hash(of owner: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(owner)
    for byte in bytes { hasher.combine(byte) }
    return hasher.finalize()
  }

  /// Resolves the escapes of a string that the parser has found to be well formed.
  private static func resolved(_ inside: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(inside.count)
    var index = inside.startIndex
    while index < inside.endIndex {
      guard inside[index] == ASCII.backslash else {
        result.append(inside[index])
        index += 1
        continue
      }
      let escape = JSONEscape(in: inside, at: index)
      result.append(contentsOf: escape.utf8)
      index += escape.length
    }
    return result
  }
}

/// One escape of a string.
struct JSONEscape {
  /// What the escape stands for.
  let scalar: Unicode.Scalar
  /// How many bytes it takes in the text.
  let length: Int

  /// The bytes that it stands for.
  var utf8: UTF8.EncodedScalar { UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter }

  /// Reads a well-formed escape.
  init(in text: ArraySlice<UInt8>, at index: Int) {
    switch JSONEscape.read(text, at: index) {
    case .success(let escape): self = escape
    case .failure: self.init(scalar: "\u{FFFD}", length: 2)
    }
  }

  private init(scalar: Unicode.Scalar, length: Int) {
    self.scalar = scalar
    self.length = length
  }

  /// What can be wrong with an escape.
  enum ParseError: Error {
    case unknown, loneSurrogate, nul
  }

  /// Reads an escape, whose backslash is at an index.
  static func read(_ text: ArraySlice<UInt8>, at index: Int) -> Result<JSONEscape, ParseError> {
    guard index + 1 < text.endIndex else { return .failure(.unknown) }
    if let simple = simple(text[index + 1]) {
      return .success(JSONEscape(scalar: simple, length: 2))
    }
    guard let unit = unit(text, at: index) else { return .failure(.unknown) }
    if unit == 0 { return .failure(.nul) }
    if let scalar = Unicode.Scalar(unit) {
      return .success(JSONEscape(scalar: scalar, length: 6))
    }
    guard UTF16.isLeadSurrogate(UInt16(unit)), let trail = self.unit(text, at: index + 6),
      UTF16.isTrailSurrogate(UInt16(trail)),
      let scalar = Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + trail & 0x3FF)
    else { return .failure(.loneSurrogate) }
    return .success(JSONEscape(scalar: scalar, length: 12))
  }

  private static func simple(_ letter: UInt8) -> Unicode.Scalar? {
    switch letter {
    case ASCII.quote: "\""
    case ASCII.backslash: "\\"
    case ASCII.slash: "/"
    case UInt8(ascii: "b"): "\u{8}"
    case UInt8(ascii: "f"): "\u{C}"
    case UInt8(ascii: "n"): "\n"
    case UInt8(ascii: "r"): "\r"
    case UInt8(ascii: "t"): "\t"
    default: nil
    }
  }

  /// The number of `\uXXXX` at an index.
  private static func unit(_ text: ArraySlice<UInt8>, at index: Int) -> UInt32? {
    guard index + 6 <= text.endIndex, text[index] == ASCII.backslash,
      text[index + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt32 = 0
    for digit in text[index + 2..<index + 6] {
      guard let value = digit.hexadecimalValue else { return nil }
      unit = unit << 4 | value
    }
    return unit
  }
}
