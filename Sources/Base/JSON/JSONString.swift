/// The unescaped bytes of a string in a document.
///
/// Strings are compared by bytes, unlike `String`, which compares by canonical equivalence.
struct JSONString: Equatable {
  let bytes: ArraySlice<UInt8>

  /// Extracts the bytes between the quotes and resolves escapes.
  init(_ entry: JSONEntry, in text: [UInt8]) {
    let inside = text[entry.range.lowerBound + 1..<entry.range.upperBound - 1]
    bytes = entry.kind == .escapedString ? JSONString.resolved(inside)[...] : inside
  }

  /// The bytes as a string.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns a hash of the bytes and the object of which they are a key.
  func hash(of owner: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(owner)
    for byte in bytes { hasher.combine(byte) }
    return hasher.finalize()
  }

  /// Resolves the escapes of a string whose syntax the parser has validated.
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

/// An escape sequence in a string.
struct JSONEscape {
  /// The escaped character.
  let scalar: Unicode.Scalar
  /// The length of the escape in bytes.
  let length: Int

  /// The UTF-8 bytes of the escaped character.
  var utf8: UTF8.EncodedScalar { UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter }

  /// Reads an escape whose syntax has been validated.
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

  /// The reason why an escape is invalid.
  enum ParseError: Error {
    case unknown, loneSurrogate, nul
  }

  /// Reads the escape whose backslash is at an index.
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

  /// Returns the number of `\uXXXX` at an index, or `nil` if there is none.
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
