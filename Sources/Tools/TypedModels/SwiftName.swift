/// Makes names of Swift declarations from texts in bundles.
///
/// A text can be anything: `golden retriever`, `3`, `default`, `C++` or an emoji. Names are deterministic
/// and consist of letters, digits and underscores.
enum SwiftName {
  /// Returns a name in lower camel case, for a property, a parameter or a case.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - fallback: The name of a text without letters, digits or named symbols.
  /// - Returns: The name, which can be a keyword.
  static func lowerCamelCase(_ text: String, fallback: String) -> String {
    let words = words(of: text)
    guard let first = words.first else { return fallback }
    let name = joined([lowercasingInitials(of: first)] + words.dropFirst().map(capitalized))
    return startsWithDigit(name) ? "_" + name : name
  }

  /// Returns a name in upper camel case, for a type.
  static func upperCamelCase(_ text: String, fallback: String) -> String {
    let words = words(of: text)
    guard !words.isEmpty else { return fallback }
    let name = joined(words.map(capitalized))
    return startsWithDigit(name) ? fallback + name : name
  }

  /// Joins words; digits of adjacent words are separated.
  private static func joined(_ words: [String]) -> String {
    words.reduce(into: "") { name, word in
      if endsWithDigit(name), startsWithDigit(word) { name += "_" }
      name += word
    }
  }

  // MARK: Words

  /// Returns the words of a text: its letters and digits, or else the names of its symbols.
  private static func words(of text: String) -> [String] {
    let words = identifierWords(of: text)
    return words.isEmpty ? symbolWords(of: text) : words
  }

  private static func identifierWords(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    let scalars = Array(text.unicodeScalars)
    func finish() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for (index, scalar) in scalars.enumerated() {
      if isAlphanumeric(scalar) {
        word.unicodeScalars.append(scalar)
      } else if scalar != "'" && scalar != "\u{2019}" {
        finish()
        let next = index + 1 < scalars.count ? scalars[index + 1] : " "
        if scalar == "-", index == 0, ("0"..."9").contains(next) {
          words.append("minus")
        } else if let name = symbolNames[scalar] {
          words.append(name)
        }
      }
    }
    finish()
    // Symbols alone are better described by their full names.
    return scalars.contains(where: isAlphanumeric) ? words : []
  }

  /// The words of symbols that distinguish names, such as `C` and `C++`.
  private static let symbolNames: [Unicode.Scalar: String] = [
    "+": "plus", "#": "sharp", "&": "and", "%": "percent",
  ]

  /// The maximum number of words that the names of symbols contribute.
  private static let maxSymbolWords = 8

  private static func symbolWords(of text: String) -> [String] {
    let words = text.unicodeScalars.flatMap { scalar -> [String] in
      // Selectors and joiners change only the appearance of a symbol.
      guard !scalar.properties.isDefaultIgnorableCodePoint,
        let name = scalar.properties.name
      else { return [] }
      return name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        .map(String.init)
    }
    return Array(words.prefix(maxSymbolWords))
  }

  /// Whether a scalar is a letter or a digit that Swift accepts in a name.
  private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0xAA, 0xB5, 0xBA, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x167F, 0x1681...0x180D,
      0x180F...0x1DBF, 0x1E00...0x1FFF, 0x2C00...0x2DFF, 0x3040...0xD7FF, 0xF900...0xFAFF:
      scalar.properties.isAlphabetic
    default: false
    }
  }

  // MARK: Case

  /// Returns a word whose leading capital letters are lower case: `RGBImage` becomes `rgbImage`.
  private static func lowercasingInitials(of word: String) -> String {
    let capitals = word.prefix { $0.isUppercase }
    guard capitals.count > 1, capitals.count < word.count else {
      return capitals.lowercased() + word.dropFirst(capitals.count)
    }
    // The last capital letter begins the next word, unless a digit follows.
    let follows = word.dropFirst(capitals.count).first?.isLetter ?? false
    let count = follows ? capitals.count - 1 : capitals.count
    return word.prefix(count).lowercased() + word.dropFirst(count)
  }

  private static func capitalized(_ word: String) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  private static func startsWithDigit(_ name: String) -> Bool {
    name.first.map { $0.isASCII && $0.isNumber } ?? false
  }

  private static func endsWithDigit(_ name: String) -> Bool {
    name.last.map { $0.isASCII && $0.isNumber } ?? false
  }
}

/// A scope of declarations, in which every name is unique.
struct SwiftScope {
  private let reserved: Set<String>
  private var taken: Set<String> = []

  /// Creates a scope.
  ///
  /// - Parameter reserved: Names that no declaration can have.
  init(reserved: Set<String> = []) {
    self.reserved = reserved.union(SwiftScope.specialNames)
  }

  /// Returns a name that is not taken, and takes it.
  ///
  /// A number distinguishes equal names.
  ///
  /// - Parameters:
  ///   - name: The preferred name.
  ///   - suffix: The text to append to a reserved name.
  /// - Returns: The name. A keyword is in backticks.
  mutating func declare(_ name: String, suffix: String) -> String {
    let base = reserved.contains(name) ? name + suffix : name
    var candidate = base
    var number = 2
    while taken.contains(candidate) || reserved.contains(candidate) {
      candidate = "\(base)_\(number)"
      number += 1
    }
    taken.insert(candidate)
    return SwiftScope.keywords.contains(candidate) ? "`\(candidate)`" : candidate
  }

  /// Names with a meaning that backticks do not change.
  private static let specialNames: Set<String> = [
    "self", "Self", "Type", "Protocol", "init", "_", "super",
  ]

  /// The keywords of Swift that are reserved everywhere.
  private static let keywords: Set<String> = [
    "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
    "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is", "let",
    "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
    "return", "static", "struct", "subscript", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]
}
