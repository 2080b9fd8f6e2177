import TensorIOJSON

/// A string in a template, with the escapes of Python.
struct TemplateStringLiteral {
  private let source: TemplateSource
  private let start: Int
  /// The offset behind the closing quote.
  private(set) var end: Int

  /// Creates a literal that begins at an offset.
  init(_ source: TemplateSource, at start: Int) {
    (self.source, self.start, end) = (source, start, start + 1)
  }

  private func error(_ message: String, at offset: Int) -> TemplateError {
    source.error(.syntax(message: message), at: offset)
  }

  /// Returns the text without escapes.
  mutating func text() throws(TemplateError) -> TemplateText {
    let quote = source.bytes[start]
    var text: [UInt8] = []
    while let byte = next() {
      if byte == quote { return TemplateText(text) }
      if byte == ASCII.backslash {
        try escape(&text)
      } else {
        text.append(byte)
      }
    }
    throw error("the closing quote is missing", at: start)
  }

  private mutating func next() -> UInt8? {
    guard end < source.bytes.count else { return nil }
    end += 1
    return source.bytes[end - 1]
  }

  private mutating func escape(_ text: inout [UInt8]) throws(TemplateError) {
    let offset = end - 1
    guard let byte = next() else { throw error("the closing quote is missing", at: start) }
    switch byte {
    case UInt8(ascii: "\n"): break
    case ASCII.backslash, UInt8(ascii: "'"), UInt8(ascii: "\""): text.append(byte)
    case UInt8(ascii: "a"): text.append(7)
    case UInt8(ascii: "b"): text.append(8)
    case UInt8(ascii: "f"): text.append(12)
    case UInt8(ascii: "n"): text.append(10)
    case UInt8(ascii: "r"): text.append(13)
    case UInt8(ascii: "t"): text.append(9)
    case UInt8(ascii: "v"): text.append(11)
    case UInt8(ascii: "x"): try scalar(of: 2, radix: 16, &text, at: offset)
    case UInt8(ascii: "u"): try scalar(of: 4, radix: 16, &text, at: offset)
    case UInt8(ascii: "U"): try scalar(of: 8, radix: 16, &text, at: offset)
    case UInt8(ascii: "N"): throw source.error(.unsupported(feature: #"'\N{…}'"#), at: offset)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      end -= 1
      try scalar(of: 3, radix: 8, &text, at: offset)
    default: text += [ASCII.backslash, byte]
    }
  }

  /// Appends the scalar with a number: of exactly `count` hexadecimal digits, or of up to `count` octal ones.
  private mutating func scalar(
    of count: Int, radix: UInt32, _ text: inout [UInt8], at offset: Int
  ) throws(TemplateError) {
    var value: UInt32 = 0
    for _ in 0..<count {
      let digit = end < source.bytes.count ? source.bytes[end].hexadecimalValue : nil
      guard let digit, digit < radix else {
        if radix == 8 { break }
        throw error("the escape has too few digits", at: offset)
      }
      value = value &* radix &+ digit
      end += 1
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw error("the escape is no character", at: offset)
    }
    text.append(contentsOf: scalar.utf8)
  }
}
