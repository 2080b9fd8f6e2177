/// A step that changes a text before it is split into words.
enum TextNormalization: Sendable {
  /// A normalization form of Unicode.
  case form(ScalarNormalization)
  /// Lowercase letters.
  case lowercase
  /// Without combining marks, or without nonspacing ones.
  case withoutMarks(nonspacingOnly: Bool)
  /// Without control characters, and with spaces for white space, as in BERT.
  case cleaned
  /// With spaces around Chinese characters, as in BERT.
  case separatedChinese
  /// Without white space at the beginning and the end.
  case trimmed(left: Bool, right: Bool)
  /// Other text in place of the matches of a pattern.
  case replaced(TextPattern, by: [UInt8])
  /// Text before the text.
  case prepended([UInt8])
  /// The rules of a SentencePiece model.
  case rules(PrecompiledCharacterMap)

  /// The maximum length of a normalized text, as a multiple of that of the text.
  private static let maxGrowth = 32
  private static let maxExtraBytes = 1 << 16

  /// Changes a text.
  ///
  /// - Throws: ``TokenizerError`` if a pattern does not suit the text, or the text becomes enormous.
  func apply(to text: inout AlignedText) throws(TokenizerError) {
    let count = text.bytes.count
    switch self {
    case .form(let form): form.apply(to: &text)
    case .lowercase: Self.lowercase(&text)
    case .withoutMarks(let nonspacingOnly):
      let marks: ScalarClass = nonspacingOnly ? .nonspacingMark : [.nonspacingMark, .otherMark]
      guard text.bytes.contains(where: { $0 >= 0x80 }) else { return }
      text.filter { $0 < 0x80 || ScalarClass(of: $0).isDisjoint(with: marks) }
    case .cleaned: Self.clean(&text)
    case .separatedChinese: Self.separateChinese(&text)
    case .trimmed(let left, let right): Self.trim(&text, left, right)
    case .replaced(let pattern, let content):
      text.replace(try pattern.matches(in: text.bytes.span), by: content)
    case .prepended(let content): text.prepend(content)
    case .rules(let map): map.apply(to: &text)
    }
    guard text.bytes.count <= Self.maxGrowth * count + Self.maxExtraBytes else {
      throw TokenizerError(.unsuitableText(message: "its normalization is too long"))
    }
  }

  private static func clean(_ text: inout AlignedText) {
    let table = ScalarClass.table
    text.filter { !ScalarClass(of: $0, in: table).contains(.removable) }
    let isDone = text.replaceInPlace { scalar in
      guard ScalarClass(of: scalar, in: table).contains(.space) else { return scalar }
      return scalar < 0x80 ? 0x20 : nil
    }
    guard !isDone else { return }
    text.replaceScalars { scalar, new in
      guard scalar != 0x20, ScalarClass(of: scalar, in: table).contains(.space) else {
        return false
      }
      new.append(0x20)
      return true
    }
  }

  private static func separateChinese(_ text: inout AlignedText) {
    guard text.bytes.contains(where: { $0 >= 0x80 }) else { return }
    let table = ScalarClass.table
    text.replaceScalars { scalar, new in
      guard ScalarClass(of: scalar, in: table).contains(.chinese) else { return false }
      new += [0x20, scalar, 0x20]
      return true
    }
  }

  private static func lowercase(_ text: inout AlignedText) {
    let letters = LowercaseLetters.shared
    guard !text.replaceInPlace(letters.letterOfSameLength) else { return }
    text.replaceScalars { scalar, new in
      guard letters.letterOfSameLength(for: scalar) != scalar,
        let character = Unicode.Scalar(scalar)
      else { return false }
      for lower in character.properties.lowercaseMapping.unicodeScalars { new.append(lower.value) }
      return true
    }
  }

  private static func trim(_ text: inout AlignedText, _ left: Bool, _ right: Bool) {
    var kept: Range<Int>?
    text.forEachScalar { scalar, range in
      guard !ScalarClass(of: scalar).contains(.space) else { return }
      kept = (kept?.lowerBound ?? range.lowerBound)..<range.upperBound
    }
    // A text of white space alone is empty after either end is trimmed.
    let count = text.bytes.count
    let words = kept ?? 0..<0
    let start = left ? words.lowerBound : 0
    let end = right ? words.upperBound : kept == nil && left ? 0 : count
    guard start > 0 || end < count else { return }
    text = text.part(start..<end)
  }
}
