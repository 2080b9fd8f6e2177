import TensorIOSystem

#if Everything
  import TensorIOText
#endif

/// How texts are normalized before their words are compared, so that ways of writing do not count as errors.
///
/// The results are those of the normalizers that Whisper's error rates were published with, including their peculiarities.
public enum TranscriptNormalizer: String, Sendable, Hashable, CaseIterable {
  /// For English: numbers are written with digits, contractions in full, and British words as in American English.
  case english
  /// For every language: lower case, without what is in brackets, and without marks and punctuation.
  case basic

  /// Creates the normalizer for the language with a code such as `en`.
  public init(language: String) { self = language == "en" ? .english : .basic }

  /// Returns a text after normalization, with single spaces between its words.
  public func normalized(_ text: String) -> String { words(of: text).joined(separator: " ") }

  /// Returns the words of a text after normalization.
  func words(of text: String) -> [Substring] {
    let scalars = Self.withoutBrackets(Array(text.lowercased().unicodeScalars))
    let normalized =
      switch self {
      case .english: Self.english(scalars)
      case .basic: Self.withoutSymbols(scalars).lowercased()
      }
    return normalized.split { $0.unicodeScalars.allSatisfy(\.isSpace) }
  }

  private typealias Scalars = [Unicode.Scalar]

  /// Returns the scalars without what is between brackets; brackets without another side stay.
  private static func withoutBrackets(_ scalars: Scalars) -> Scalars {
    let inner = removing(scalars, from: { $0 == "<" || $0 == "[" }, isEmptyRemoved: true) {
      $0 == ">" || $0 == "]"
    }
    return removing(inner, from: { $0 == "(" }, isEmptyRemoved: false) { $0 == ")" }
  }

  private static func removing(
    _ scalars: Scalars, from isStart: (Unicode.Scalar) -> Bool, isEmptyRemoved: Bool,
    to isEnd: (Unicode.Scalar) -> Bool
  ) -> Scalars {
    guard let lastEnd = scalars.lastIndex(where: isEnd), scalars.contains(where: isStart) else {
      return scalars
    }
    var result: Scalars = []
    var index = 0
    while index < scalars.count {
      let next = index + 1
      if isStart(scalars[index]), next <= lastEnd, isEmptyRemoved || !isEnd(scalars[next]),
        let end = scalars[next...].firstIndex(where: isEnd)
      {
        index = end + 1
      } else {
        result.append(scalars[index])
        index = next
      }
    }
    return result
  }

  /// Returns the text in the form NFKC, with spaces in place of marks, symbols and punctuation.
  private static func withoutSymbols(_ scalars: Scalars) -> String {
    var text = scalars.text
    #if Everything
      text = text.normalizedCompatibly
    #endif
    return text.unicodeScalars.map { $0.kind == .other || $0.kind == .space ? $0 : " " }.text
  }
}

// MARK: English

extension TranscriptNormalizer {
  private static func english(_ scalars: Scalars) -> String {
    var text = EnglishContractions.expanded(scalars)
    text = joiningThousands(text)
    text = replacing(text) {
      $0 == "."
    } before: {
      $0.map { !$0.isASCIIDigit } ?? true
    }
    let spoken = SpokenNumbers.withDigits(lettersAndNumbers(text.text))
    let words = spoken.split { $0.unicodeScalars.allSatisfy(\.isSpace) }.map { word in
      AmericanSpelling.spelling(of: String(word)) ?? String(word)
    }
    text = Array(words.joined(separator: " ").unicodeScalars)
    text = replacing(text) {
      ".$¢€£".unicodeScalars.contains($0)
    } before: {
      $0.map { !$0.isASCIIDigit } ?? false
    }
    return withoutPercentSigns(text).text
  }

  /// Returns the scalars without commas between digits.
  private static func joiningThousands(_ scalars: Scalars) -> Scalars {
    var result: Scalars = []
    var index = 0
    while index < scalars.count {
      result.append(scalars[index])
      if index + 2 < scalars.count, scalars[index].isDigit, scalars[index + 1] == ",",
        scalars[index + 2].isDigit
      {
        result.append(scalars[index + 2])
        index += 3
      } else {
        index += 1
      }
    }
    return result
  }

  /// Returns scalars with spaces in place of those before which others stand; the other one is not looked at again.
  private static func replacing(
    _ scalars: Scalars, where isReplaced: (Unicode.Scalar) -> Bool,
    before isFollowed: (Unicode.Scalar?) -> Bool
  ) -> Scalars {
    var result: Scalars = []
    var index = 0
    while index < scalars.count {
      let next = index + 1 < scalars.count ? scalars[index + 1] : nil
      if isReplaced(scalars[index]), isFollowed(next) {
        result.append(" ")
        if let next { result.append(next) }
        index += 2
      } else {
        result.append(scalars[index])
        index += 1
      }
    }
    return result
  }

  /// Returns the scalars without signs of percent that follow no digit.
  private static func withoutPercentSigns(_ scalars: Scalars) -> Scalars {
    var result: Scalars = []
    var index = 0
    while index < scalars.count {
      result.append(scalars[index])
      if index + 1 < scalars.count, scalars[index + 1] == "%", !scalars[index].isASCIIDigit {
        result.append(" ")
        index += 2
      } else {
        index += 1
      }
    }
    return result
  }

  /// Returns letters without diacritics, numbers with their signs, and spaces for all else.
  private static func lettersAndNumbers(_ text: String) -> String {
    var text = text
    #if Everything
      text = text.decomposedCompatibly
    #endif
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if ".%$¢€£".unicodeScalars.contains(scalar) {
        result.append(scalar)
      } else if let letters = undecomposedLetters[scalar] {
        result.append(contentsOf: letters.unicodeScalars)
      } else {
        switch scalar.kind {
        case .accent: break
        case .symbol: result.append(" ")
        case .space, .other: result.append(scalar)
        }
      }
    }
    return String(result)
  }

  /// Letters that have no decomposition, in ASCII.
  private static let undecomposedLetters: [Unicode.Scalar: String] = [
    "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "ß": "ss", "ẞ": "SS",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "th", "ł": "l", "Ł": "L",
  ]
}

// MARK: Scalars

extension Unicode.Scalar {
  /// What normalization does with a scalar.
  fileprivate enum Kind {
    case accent, symbol, space, other
  }

  fileprivate var kind: Kind {
    if isSpace { return .space }
    return switch properties.generalCategory {
    case .nonspacingMark: .accent
    case .spacingMark, .enclosingMark, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol,
      .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      .symbol
    default: .other
    }
  }

  /// Whether the scalar separates words.
  var isSpace: Bool { properties.isWhitespace || (0x1C...0x1F).contains(value) }

  /// Whether the scalar is a digit from 0 to 9.
  var isASCIIDigit: Bool { ("0"..."9").contains(self) }

  /// Whether the scalar is a decimal digit of any script.
  var isDigit: Bool { properties.generalCategory == .decimalNumber }

  /// Whether the scalar is part of a word: a letter, a number or an underscore.
  var isInWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber:
      true
    default: self == "_"
    }
  }
}
