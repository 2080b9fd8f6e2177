/// The properties of a scalar that tokenizers need.
struct ScalarClass: OptionSet, Sendable {
  let rawValue: UInt16

  /// White space (the Unicode property).
  static let space = ScalarClass(rawValue: 1)
  /// A letter (category L).
  static let letter = ScalarClass(rawValue: 2)
  /// A number (category N).
  static let number = ScalarClass(rawValue: 4)
  /// Punctuation (category P), or any of the printable ASCII characters that are not letters, digits or the space.
  static let punctuation = ScalarClass(rawValue: 8)
  /// Removed when text is cleaned: control, format, private use, NUL and U+FFFD, but not tab and line ends.
  static let removable = ScalarClass(rawValue: 16)
  /// A Chinese character in the ranges of BERT.
  static let chinese = ScalarClass(rawValue: 32)
  /// A nonspacing mark (category Mn).
  static let nonspacingMark = ScalarClass(rawValue: 64)
  /// A canonical combining class other than 0.
  static let combining = ScalarClass(rawValue: 128)
  /// The lowercase mapping is another scalar or several.
  static let changesWhenLowercased = ScalarClass(rawValue: 256)
  /// Decomposed by normalization form D.
  static let decomposes = ScalarClass(rawValue: 512)

  /// A spacing or enclosing mark (categories Mc and Me).
  static let otherMark = ScalarClass(rawValue: 1024)
  /// Matched by a regular expression's `\w`.
  static let word = ScalarClass(rawValue: 2048)

  /// The classes of the Basic Multilingual Plane, computed on first use.
  static let table = (0..<UInt32(0x1_0000)).map { ScalarClass(computing: $0) }
  /// The classes of letters of mathematics and pictographs, computed on first use.
  private static let pictographs = (UInt32(0x1_D000)..<0x2_0000).map { ScalarClass(computing: $0) }

  /// Looks up the properties of a scalar.
  init(of scalar: UInt32) {
    self = scalar < 0x1_0000 ? Self.table[Int(scalar)] : ScalarClass(beyondPlane: scalar)
  }

  /// Looks up the properties of a scalar in the table, for loops.
  @inline(__always)
  init(of scalar: UInt32, in table: [ScalarClass]) {
    self = scalar < 0x1_0000 ? table[Int(scalar)] : ScalarClass(beyondPlane: scalar)
  }

  private init(beyondPlane scalar: UInt32) {
    self =
      (0x1_D000..<0x2_0000).contains(scalar)
      ? Self.pictographs[Int(scalar - 0x1_D000)] : ScalarClass(computing: scalar)
  }

  /// Creates a set from bits.
  init(rawValue: UInt16) { self.rawValue = rawValue }

  private init(computing value: UInt32) {
    self = []
    guard let scalar = Unicode.Scalar(value) else { return }
    let properties = scalar.properties
    if properties.isWhitespace { insert(.space) }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
      insert(.letter)
    case .decimalNumber, .letterNumber, .otherNumber: insert(.number)
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      insert(.punctuation)
      if properties.generalCategory == .connectorPunctuation { insert(.word) }
    case .control, .format, .privateUse: insert(.removable)
    case .nonspacingMark: insert([.nonspacingMark, .word])
    case .spacingMark, .enclosingMark: insert([.otherMark, .word])
    default: break
    }
    if properties.isAlphabetic || properties.isJoinControl
      || properties.generalCategory == .decimalNumber
    {
      insert(.word)
    }
    if value > 0x20, value < 0x7F, isDisjoint(with: [.letter, .number]) { insert(.punctuation) }
    if value == 0xFFFD { insert(.removable) }
    if value == 9 || value == 10 || value == 13 { remove(.removable) }
    if Self.isChinese(value) { insert(.chinese) }
    if properties.canonicalCombiningClass != .notReordered { insert(.combining) }
    if properties.changesWhenLowercased { insert(.changesWhenLowercased) }
    if value >= 0xC0 {
      var count = 0
      var isChanged = false
      CanonicalDecomposition.shared.forEach(of: value) {
        count += 1
        isChanged = isChanged || $0 != value
      }
      if isChanged || count > 1 { insert(.decomposes) }
    }
  }

  private static func isChinese(_ value: UInt32) -> Bool {
    switch value {
    case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x2_0000...0x2_A6DF,
      0x2_A700...0x2_B81F, 0x2_B920...0x2_CEAF, 0x2_F800...0x2_FA1F:
      true
    default: false
    }
  }
}
