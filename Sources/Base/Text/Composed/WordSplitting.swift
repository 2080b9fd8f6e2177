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
  /// At characters of punctuation.
  case punctuation(SplitBehavior)
  /// Around digits, or around runs of digits.
  case digits(isEach: Bool)
  /// At the matches of a pattern.
  case pattern(TextPattern, SplitBehavior, isInverted: Bool)
  /// Into the words of GPT-2's pattern unless a step before has split the text; bytes are replaced by the characters that stand
  /// for them, and a space is inserted before a part without one if `addsSpace`.
  case bytes(addsSpace: Bool, splits: Bool)
  /// Before a character that stands for spaces, which are replaced by it.
  case spaceMark([UInt8], Prefix, splits: Bool)
  /// Before each `▁` that follows another character.
  case beforeSpaceMarks

  /// Splits the parts of a text, which may change.
  ///
  /// - Parameters:
  ///   - parts: The parts in order.
  ///   - text: The text.
  ///   - isAtStart: Whether the text is the beginning of the original text.
  /// - Throws: ``TokenizerError`` if a pattern does not suit the text.
  func apply(
    to parts: inout [Range<Int>], of text: inout AlignedText, isAtStart: Bool
  ) throws(TokenizerError) {
    switch self {
    case .whitespace: split(&parts, of: text) { $0.contains(.space) ? .removed : .word }
    case .words:
      split(&parts, of: text) {
        $0.contains(.word) ? .word : $0.contains(.space) ? .removed : .other
      }
    case .bert:
      split(&parts, of: text) {
        $0.contains(.space) ? .removed : $0.contains(.punctuation) ? .single : .word
      }
    case .punctuation(.isolated):
      split(&parts, of: text) { $0.contains(.punctuation) ? .single : .word }
    case .punctuation(let behavior): Self.splitAtPunctuation(&parts, of: text, behavior)
    case .pattern(let pattern, let behavior, let isInverted):
      var result: [Range<Int>] = []
      for part in parts {
        let start = part.lowerBound
        let matches = try pattern.matches(in: text.bytes.span.extracting(part))
          .map { $0.lowerBound + start..<$0.upperBound + start }
        result += behavior.parts(of: part, at: matches, isInverted: isInverted)
      }
      parts = result
    case .bytes(let addsSpace, let splits): Self.spell(&parts, of: &text, addsSpace, splits)
    case .digits(let isEach):
      split(&parts, of: text) { $0.contains(.number) ? isEach ? .single : .other : .word }
    case .beforeSpaceMarks: Self.splitBeforeMarks(&parts, of: text)
    case .spaceMark(let mark, let prefix, let splits):
      Self.mark(&parts, of: &text, mark, prefix, splits, isAtStart)
    }
  }

  /// The role of a character: runs of `word` and of `other` are parts, and so is each `single` one.
  private enum Role {
    case word, other, single, removed
  }

  @inline(__always)
  private func split(
    _ parts: inout [Range<Int>], of text: AlignedText, _ role: (ScalarClass) -> Role
  ) {
    var result: [Range<Int>] = []
    let bytes = text.bytes.span
    let table = ScalarClass.table
    for part in parts {
      var start = part.lowerBound
      var last = Role.removed
      var index = start
      while index < part.upperBound {
        let (scalar, length) = UTF8Text.scalar(at: index, in: bytes)
        let role = role(ScalarClass(of: scalar, in: table))
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

  private static func splitAtPunctuation(
    _ parts: inout [Range<Int>], of text: AlignedText, _ behavior: SplitBehavior
  ) {
    var result: [Range<Int>] = []
    for part in parts {
      var matches: [Range<Int>] = []
      var index = part.lowerBound
      while index < part.upperBound {
        let (scalar, length) = UTF8Text.scalar(at: index, in: text.bytes.span)
        if ScalarClass(of: scalar).contains(.punctuation) { matches.append(index..<index + length) }
        index += length
      }
      result += behavior.parts(of: part, at: matches, isInverted: false)
    }
    parts = result
  }

  /// Replaces bytes by the characters that stand for them.
  private static func spell(
    _ parts: inout [Range<Int>], of text: inout AlignedText, _ addsSpace: Bool, _ splits: Bool
  ) {
    let old = text
    var result = AlignedText()
    result.reserveCapacity(2 * old.bytes.count)
    var words: [Range<Int>] = []
    let space = UInt8(ascii: " ")
    for part in parts where !part.isEmpty {
      let isMissing = addsSpace && old.bytes[part.lowerBound] != space
      // With the space, in which words may begin.
      let bytes = isMissing ? [space] + old.bytes[part] : []
      let span = isMissing ? bytes.span : old.bytes.span.extracting(part)
      let shift = part.lowerBound - (isMissing ? 1 : 0)
      var found: [Range<Int>] = []
      if splits { ByteLevelWords.forEach(in: span) { found.append($0) } }
      for word in splits ? found : [0..<span.count] {
        let start = result.bytes.count
        result.append(charactersFor: span.extracting(word), from: old) {
          max($0 + word.lowerBound + shift, part.lowerBound)
        }
        words.append(start..<result.bytes.count)
      }
    }
    (text, parts) = (result, words)
  }

  private static func splitBeforeMarks(_ parts: inout [Range<Int>], of text: AlignedText) {
    var result: [Range<Int>] = []
    for part in parts {
      let bytes = text.bytes.span.extracting(part)
      var start = 0
      while start < bytes.count {
        let end = SpaceMark.endOfWord(at: start, in: bytes)
        result.append(part.lowerBound + start..<part.lowerBound + end)
        start = end
      }
    }
    parts = result
  }

  private static func mark(
    _ parts: inout [Range<Int>], of text: inout AlignedText, _ mark: [UInt8], _ prefix: Prefix,
    _ splits: Bool, _ isAtStart: Bool
  ) {
    let old = text
    var result = AlignedText()
    result.reserveCapacity(old.bytes.count + old.bytes.count / 2)
    var marked: [Range<Int>] = []
    let bytes = old.bytes
    for part in parts where !part.isEmpty {
      var start = result.bytes.count
      let first = start
      let isMarked =
        bytes[part.lowerBound] == UInt8(ascii: " ")
        || hasMark(mark, at: part.lowerBound, in: bytes.span)
      let isFirst = isAtStart && old.origin(of: part).lowerBound == 0
      if !isMarked, prefix == .always || prefix == .first && isFirst {
        result.append(mark, from: part.lowerBound, of: old)
      }
      var index = part.lowerBound
      // The beginning of the bytes that are not added yet.
      var kept = index
      while index < part.upperBound {
        let isSpace = bytes[index] == UInt8(ascii: " ")
        if isSpace || splits && hasMark(mark, at: index, in: bytes.span) {
          if index > kept { result.append(kept..<index, of: old) }
          kept = index
          if splits, result.bytes.count > first {
            marked.append(start..<result.bytes.count)
            start = result.bytes.count
          }
          if isSpace {
            result.append(mark, from: index, of: old)
            kept = index + 1
          }
        }
        index += UTF8Text.length(after: bytes[index])
      }
      if index > kept { result.append(kept..<index, of: old) }
      marked.append(start..<result.bytes.count)
    }
    (text, parts) = (result, marked)
  }

  /// Whether a text has the mark at an offset.
  @inline(__always)
  private static func hasMark(_ mark: [UInt8], at index: Int, in text: Span<UInt8>) -> Bool {
    guard let first = mark.first, text[index] == first, index + mark.count <= text.count else {
      return mark.isEmpty
    }
    for place in 1..<max(mark.count, 1) where text[index + place] != mark[place] { return false }
    return true
  }
}
