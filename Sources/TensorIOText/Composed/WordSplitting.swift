/// A step that splits a text, or its parts, into words.
enum WordSplitting: Sendable {
  /// Where a character that stands for spaces is inserted.
  enum Prefix: Sendable {
    case never, first, always
  }

  /// At white space, which is left out.
  case whitespace
  /// Into runs of letters, digits and `_`, and of other characters; white space is left out.
  case words
  /// At white space, which is left out, and around punctuation.
  case bert
  /// Around characters of punctuation.
  case punctuation
  /// Around digits, or around runs of digits.
  case digits(isEach: Bool)
  /// Before a character that stands for spaces, which are replaced by it.
  case spaceMark([UInt8], Prefix, splits: Bool)

  /// Splits the parts of a text, which may change.
  ///
  /// - Parameters:
  ///   - parts: The parts in order.
  ///   - text: The text.
  ///   - isAtStart: Whether the text is the beginning of the original text.
  func apply(to parts: inout [Range<Int>], of text: inout AlignedText, isAtStart: Bool) {
    switch self {
    case .whitespace: split(&parts, of: text) { Self.isSpace($0) ? .removed : .word }
    case .words:
      split(&parts, of: text) { Self.isWord($0) ? .word : Self.isSpace($0) ? .removed : .other }
    case .bert:
      split(&parts, of: text) {
        let kind = ScalarClass(of: $0)
        return kind.contains(.space) ? .removed : kind.contains(.punctuation) ? .single : .word
      }
    case .punctuation:
      split(&parts, of: text) { ScalarClass(of: $0).contains(.punctuation) ? .single : .word }
    case .digits(let isEach):
      split(&parts, of: text) {
        ScalarClass(of: $0).contains(.number) ? isEach ? .single : .other : .word
      }
    case .spaceMark(let mark, let prefix, let splits):
      Self.mark(&parts, of: &text, mark, prefix, splits, isAtStart)
    }
  }

  /// The role of a character: runs of `word` and of `other` are parts, and so is each `single` one.
  private enum Role {
    case word, other, single, removed
  }

  private static func isSpace(_ scalar: UInt32) -> Bool { ScalarClass(of: scalar).contains(.space) }

  /// Whether a regular expression's `\w` matches a scalar.
  private static func isWord(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 {
      return scalar == 0x5F || !ScalarClass(of: scalar).isDisjoint(with: [.letter, .number])
    }
    guard let character = Unicode.Scalar(scalar) else { return false }
    if character.properties.isAlphabetic || character.properties.isJoinControl { return true }
    switch character.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation:
      return true
    default: return false
    }
  }

  @inline(__always)
  private func split(
    _ parts: inout [Range<Int>], of text: AlignedText, _ role: (UInt32) -> Role
  ) {
    var result: [Range<Int>] = []
    let bytes = text.bytes.span
    for part in parts {
      var start = part.lowerBound
      var last = Role.removed
      var index = start
      while index < part.upperBound {
        let (scalar, length) = UTF8Text.scalar(at: index, in: bytes)
        let role = role(scalar)
        if role != last || role == .single {
          if last != .removed { result.append(start..<index) }
          (start, last) = (index, role)
        }
        index += length
      }
      if last != .removed, start < part.upperBound { result.append(start..<part.upperBound) }
    }
    parts = result
  }

  private static func mark(
    _ parts: inout [Range<Int>], of text: inout AlignedText, _ mark: [UInt8], _ prefix: Prefix,
    _ splits: Bool, _ isAtStart: Bool
  ) {
    var result = AlignedText()
    var marked: [Range<Int>] = []
    for part in parts where !part.isEmpty {
      var start = result.bytes.count
      let first = start
      let isMarked =
        text.bytes[part.lowerBound] == UInt8(ascii: " ")
        || text.bytes[part].starts(with: mark)
      let isFirst = isAtStart && text.starts[part.lowerBound] == 0
      if !isMarked, prefix == .always || prefix == .first && isFirst {
        result.append(mark, from: part.lowerBound, of: text)
      }
      var index = part.lowerBound
      while index < part.upperBound {
        let isSpace = text.bytes[index] == UInt8(ascii: " ")
        let length = UTF8Text.length(after: text.bytes[index])
        if splits, result.bytes.count > first, isSpace || text.bytes[index...].starts(with: mark) {
          marked.append(start..<result.bytes.count)
          start = result.bytes.count
        }
        if isSpace {
          result.append(mark, from: index, of: text)
        } else {
          result.append(index..<index + length, of: text)
        }
        index += length
      }
      marked.append(start..<result.bytes.count)
    }
    (text, parts) = (result, marked)
  }
}
