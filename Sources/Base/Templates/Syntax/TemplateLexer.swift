import TensorIOJSON

/// Splits a template into tokens, with the whitespace control of `trim_blocks` and `lstrip_blocks`.
struct TemplateLexer {
  let source: TemplateSource
  private let bytes: [UInt8]
  private var offset = 0
  private var tokens: [TemplateToken] = []
  /// Whether the text so far ends with a line, so that a tag may be the first of its line.
  private var isLineStart = true

  /// Returns the tokens of a template.
  static func tokens(of source: TemplateSource) throws(TemplateError) -> [TemplateToken] {
    var lexer = TemplateLexer(source: source, bytes: source.bytes)
    while lexer.offset < lexer.bytes.count { try lexer.textAndTag() }
    lexer.add(.end, at: lexer.bytes.count)
    return lexer.tokens
  }

  private init(source: TemplateSource, bytes: [UInt8]) {
    (self.source, self.bytes) = (source, bytes)
  }

  private mutating func add(_ kind: TemplateToken.Kind, at offset: Int) {
    tokens.append(TemplateToken(kind: kind, offset: offset))
  }

  private func error(_ message: String, at offset: Int) -> TemplateError {
    source.error(.syntax(message: message), at: offset)
  }

  func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  private func starts(_ text: StaticString, at index: Int) -> Bool {
    let text = text.description.utf8
    return index + text.count <= bytes.count && bytes[index...].starts(with: text)
  }

  private func spacesEnd(from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      let (scalar, length) = source.scalar(at: index)
      guard scalar.isPythonSpace else { break }
      index += length
    }
    return index
  }
}

extension TemplateLexer {
  /// Reads the text up to the next tag, and the tag.
  private mutating func textAndTag() throws(TemplateError) {
    let start = offset
    var tag = start
    while tag < bytes.count, !starts("{%", at: tag), !starts("{{", at: tag), !starts("{#", at: tag)
    {
      tag += 1
    }
    guard tag < bytes.count else {
      addText(start..<tag)
      offset = tag
      return
    }
    let kind = bytes[tag + 1]
    let sign = sign(at: tag + 2)
    let body = tag + 2 + (sign == nil ? 0 : 1)
    addText(start..<tag, before: sign, isOutput: kind == UInt8(ascii: "{"))
    isLineStart = false
    switch kind {
    case UInt8(ascii: "#"): try comment(from: body, at: tag)
    case UInt8(ascii: "{"):
      add(.outputBegin, at: tag)
      offset = body
      try insideTag("}}", .outputEnd, at: tag)
    default:
      if let end = rawEnd(from: body) { return try rawText(from: end, at: tag) }
      add(.blockBegin, at: tag)
      offset = body
      try insideTag("%}", .blockEnd, at: tag)
    }
  }

  private func sign(at index: Int) -> UInt8? {
    guard let byte = byte(at: index), byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") else {
      return nil
    }
    return byte
  }

  /// Adds the text before a tag, without the spaces that the tag removes.
  private mutating func addText(
    _ range: Range<Int>, before sign: UInt8? = nil, isOutput: Bool = true
  ) {
    var end = range.upperBound
    if sign == UInt8(ascii: "-") {
      end = endWithoutSpaces(range)
    } else if sign == nil, !isOutput {
      let lineStart =
        bytes[range].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? range.lowerBound
      let isFirst = lineStart > range.lowerBound || isLineStart
      if isFirst, spacesEnd(from: lineStart) >= end { end = lineStart }
    }
    guard end > range.lowerBound else { return }
    add(.data(TemplateText(Array(bytes[range.lowerBound..<end]))), at: range.lowerBound)
  }

  private func endWithoutSpaces(_ range: Range<Int>) -> Int {
    var end = range.lowerBound
    var index = range.lowerBound
    while index < range.upperBound {
      let (scalar, length) = source.scalar(at: index)
      index += length
      if !scalar.isPythonSpace { end = index }
    }
    return end
  }

  /// Moves behind the end of a tag, and the spaces that it removes.
  private mutating func finishTag(at end: Int, _ sign: UInt8?, trimsLine: Bool) {
    offset = end
    if sign == UInt8(ascii: "-") {
      offset = spacesEnd(from: end)
    } else if sign == nil, trimsLine, byte(at: end) == UInt8(ascii: "\n") {
      offset += 1
    }
    isLineStart = bytes[offset - 1] == UInt8(ascii: "\n")
  }

  private mutating func comment(from body: Int, at tag: Int) throws(TemplateError) {
    var end = body
    while !starts("#}", at: end) {
      guard end < bytes.count else { throw error("the end of the comment is missing", at: tag) }
      end += 1
    }
    let last = end > body ? sign(at: end - 1) : nil
    finishTag(at: end + 2, last, trimsLine: true)
  }

  /// Returns the end of the tag `raw`, or `nil` if the tag is another one.
  private func rawEnd(from body: Int) -> Int? {
    let name = spacesEnd(from: body)
    guard starts("raw", at: name) else { return nil }
    let end = spacesEnd(from: name + 3)
    if starts("-%}", at: end) { return spacesEnd(from: end + 3) }
    return starts("%}", at: end) ? end + 2 : nil
  }

  private mutating func rawText(from start: Int, at tag: Int) throws(TemplateError) {
    isLineStart = bytes[start - 1] == UInt8(ascii: "\n")
    for index in start..<max(start, bytes.count) where starts("{%", at: index) {
      let sign = sign(at: index + 2)
      let name = spacesEnd(from: index + 2 + (sign == nil ? 0 : 1))
      guard starts("endraw", at: name) else { continue }
      var end = spacesEnd(from: name + 6)
      let last = self.sign(at: end)
      if last != nil { end += 1 }
      guard starts("%}", at: end) else { continue }
      addText(start..<index, before: sign, isOutput: false)
      return finishTag(at: end + 2, last, trimsLine: true)
    }
    throw error("the end of the raw text is missing", at: tag)
  }
}

extension TemplateLexer {
  /// Reads the tokens of a tag and its end.
  private mutating func insideTag(
    _ end: StaticString, _ kind: TemplateToken.Kind, at tag: Int
  ) throws(TemplateError) {
    var brackets: [UInt8] = []
    while true {
      offset = spacesEnd(from: offset)
      guard offset < bytes.count else { throw error("the end of the tag is missing", at: tag) }
      if brackets.isEmpty {
        let sign = sign(at: offset)
        let isKnown = sign == nil || sign == UInt8(ascii: "-") || kind == .blockEnd
        let length = sign == nil || !isKnown ? 0 : 1
        if starts(end, at: offset + length) {
          add(kind, at: offset)
          return finishTag(
            at: offset + length + 2, length == 0 ? nil : sign, trimsLine: kind == .blockEnd)
        }
      }
      try token(&brackets)
    }
  }

  private mutating func token(_ brackets: inout [UInt8]) throws(TemplateError) {
    let start = offset
    let (scalar, _) = source.scalar(at: start)
    switch scalar {
    case "0"..."9": try number()
    case "'", "\"":
      var literal = TemplateStringLiteral(source, at: start)
      let text = try literal.text()
      offset = literal.end
      add(.text(text), at: start)
    case _ where scalar == "_" || scalar.properties.isXIDStart: name()
    default: try symbol(&brackets)
    }
  }

  private mutating func name() {
    let start = offset
    while offset < bytes.count {
      let (scalar, length) = source.scalar(at: offset)
      guard scalar.properties.isXIDContinue else { break }
      offset += length
    }
    add(.name(String(decoding: bytes[start..<offset], as: UTF8.self)), at: start)
  }

  private mutating func symbol(_ brackets: inout [UInt8]) throws(TemplateError) {
    let start = offset
    let symbols: [StaticString] = [
      "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{",
      "}", ">", "<", "=", ".", ":", "|", ",",
    ]
    guard let symbol = symbols.first(where: { starts($0, at: start) })?.description else {
      throw error("unexpected character '\(source.scalar(at: start).scalar)'", at: start)
    }
    switch symbol {
    case "{": brackets.append(UInt8(ascii: "}"))
    case "(": brackets.append(UInt8(ascii: ")"))
    case "[": brackets.append(UInt8(ascii: "]"))
    case "}", ")", "]":
      guard brackets.popLast() == bytes[start] else {
        throw error("unexpected '\(symbol)'", at: start)
      }
    default: break
    }
    offset += symbol.utf8.count
    add(.symbol(symbol), at: start)
  }
}

extension TemplateLexer {
  private mutating func number() throws(TemplateError) {
    let start = offset
    if let float = floatEnd(from: start) {
      offset = float
      let digits = bytes[start..<float].filter { $0 != UInt8(ascii: "_") }
      return add(.float(Double(String(decoding: digits, as: UTF8.self)) ?? 0), at: start)
    }
    let (radix, first) = radix(at: start)
    let end = digitsEnd(from: first, radix)
    offset = end
    let isZero = radix == 10 && bytes[start] == ASCII.zero
    if isZero {
      // Zeros cannot begin another number.
      offset = bytes[start..<end].firstIndex { $0 != ASCII.zero && $0 != UInt8(ascii: "_") } ?? end
    }
    let digits = bytes[(isZero ? start : first)..<offset].filter { $0 != UInt8(ascii: "_") }
    guard let value = Int128(String(decoding: digits, as: UTF8.self), radix: radix) else {
      throw error("the integer has more than 128 bits", at: start)
    }
    add(.integer(value), at: start)
  }

  private func radix(at start: Int) -> (radix: Int, first: Int) {
    guard bytes[start] == UInt8(ascii: "0"), let letter = byte(at: start + 1) else {
      return (10, start)
    }
    let radix =
      switch letter | 0x20 {
      case UInt8(ascii: "b"): 2
      case UInt8(ascii: "o"): 8
      case UInt8(ascii: "x"): 16
      default: 10
      }
    guard radix != 10, digitsEnd(from: start + 2, radix) > start + 2 else { return (10, start) }
    return (radix, start + 2)
  }

  /// Returns the end of digits, each of which may follow one underscore.
  private func digitsEnd(from start: Int, _ radix: Int) -> Int {
    var index = start
    while let byte = byte(at: index) {
      let digit = byte == UInt8(ascii: "_") && index > start ? index + 1 : index
      guard let value = self.byte(at: digit)?.hexadecimalValue, value < radix else { break }
      index = digit + 1
    }
    return index
  }

  /// Returns the end of a number with a fraction or an exponent, or `nil` for other numbers.
  private func floatEnd(from start: Int) -> Int? {
    if start > 0, bytes[start - 1] == UInt8(ascii: ".") { return nil }
    var end = digitsEnd(from: start, 10)
    var isFloat = false
    if byte(at: end) == UInt8(ascii: "."), let digit = byte(at: end + 1), digit.isDigit {
      end = digitsEnd(from: end + 1, 10)
      isFloat = true
    }
    if let letter = byte(at: end), letter | 0x20 == UInt8(ascii: "e") {
      let digits = end + (sign(at: end + 1) == nil ? 1 : 2)
      let exponentEnd = digitsEnd(from: digits, 10)
      if exponentEnd > digits { return exponentEnd }
    }
    return isFloat ? end : nil
  }
}
