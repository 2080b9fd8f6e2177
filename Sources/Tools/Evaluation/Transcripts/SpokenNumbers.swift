/// Writes numbers that are spelled out with digits, as Whisper's published normalizer does.
///
/// Successive digits are those of one number: `one oh one` becomes `101`, and `nine thirty` becomes `930`. A single one stays a word.
struct SpokenNumbers {
  private var result: [String] = []
  /// The number that is being read.
  private var number: NumberText?
  /// The sign or the currency before it.
  private var prefix = ""

  /// Returns a text in lower case with digits in place of numbers in words.
  static func withDigits(_ text: String) -> String {
    let words = separated(text)
    var numbers = SpokenNumbers()
    numbers.read(words)
    return withoutSingleOnes(joiningCents(numbers.result.joined(separator: " ")))
  }

  // MARK: Before and after

  /// Returns the words of a text, in which numbers are words too, and a half is five tenths.
  private static func separated(_ text: String) -> [Substring] {
    var parts: [String] = []
    let segments = Self.segments(of: text)
    for (index, segment) in segments.enumerated() {
      let words = segment.split(separator: " ")
      guard let last = words.last else { continue }
      parts.append(segment)
      guard index < segments.count - 1 else { continue }
      switch SpokenNumber(last) {
      case .zero, .unit, .tens, .power: parts.append("point five")
      default: parts.append("and a half")
      }
    }
    let scalars = Array(parts.joined(separator: " ").unicodeScalars)
    var spaced: [Unicode.Scalar] = []
    for (index, scalar) in scalars.enumerated() {
      if index > 0 {
        let previous = scalars[index - 1]
        let isBoundary =
          previous.isASCIIDigit && ("a"..."z").contains(scalar)
          || scalar.isASCIIDigit && ("a"..."z").contains(previous)
        if isBoundary { spaced.append(" ") }
      }
      spaced.append(scalar)
    }
    return joiningEndings(spaced).split(separator: " ").map(\.self)
  }

  /// Returns the parts of a text between the words "and a half", with single spaces.
  private static func segments(of text: String) -> [String] {
    var segments: [[Substring]] = [[]]
    for word in text.split(whereSeparator: { $0.unicodeScalars.allSatisfy(\.isSpace) }) {
      segments[segments.count - 1].append(word)
      let last = segments[segments.count - 1].suffix(3)
      guard last.elementsEqual(["and", "a", "half"]) else { continue }
      segments[segments.count - 1].removeLast(3)
      segments.append([])
    }
    return segments.map { $0.joined(separator: " ") }
  }

  /// Returns the text without spaces between digits and the endings of numbers.
  private static func joiningEndings(_ scalars: [Unicode.Scalar]) -> String {
    var result = String.UnicodeScalarView()
    var index = 0
    while index < scalars.count {
      result.append(scalars[index])
      defer { index += 1 }
      guard scalars[index].isASCIIDigit, index + 1 < scalars.count, scalars[index + 1] == " " else {
        continue
      }
      let end = scalars[(index + 2)...].firstIndex { !$0.isInWord } ?? scalars.count
      var word = String.UnicodeScalarView()
      word.append(contentsOf: scalars[(index + 2)..<end])
      if ["st", "nd", "rd", "th", "s"].contains(String(word)) { index += 1 }
    }
    return String(result)
  }

  /// Returns the text with one amount in place of one of units and one of cents.
  private static func joiningCents(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    var joined: [Unicode.Scalar] = []
    var index = 0
    while index < scalars.count {
      if let units = scalars.amount(at: index, of: "€£$"), units.upperBound < scalars.count,
        scalars[units.upperBound] == " ",
        let cents = scalars.cents(at: units.upperBound + 1)
          ?? scalars.cents(after: "and ", at: units.upperBound + 1)
      {
        joined += scalars[units] + ["."] + (cents.count == 1 ? ["0"] : []) + scalars[cents]
        index = cents.upperBound
      } else {
        joined.append(scalars[index])
        index += 1
      }
    }
    return joined.withAmountsOfCents
  }

  /// Returns the text with the word for a single one.
  private static func withoutSingleOnes(_ text: String) -> String {
    EnglishContractions.mappingWords(Array(text.unicodeScalars)) {
      switch $0 {
      case "1": "one"
      case "1s": "ones"
      default: nil
      }
    }.text
  }

  // MARK: Numbers

  private mutating func read(_ words: [Substring]) {
    var index = 0
    while index < words.count {
      let previous = index > 0 ? SpokenNumber(words[index - 1]) : nil
      let next = index + 1 < words.count ? words[index + 1] : nil
      let skipsNext = read(words[index], after: previous, before: next)
      index += skipsNext ? 2 : 1
    }
    flush()
  }

  /// Reads a word, and returns whether the one after it was read as well.
  private mutating func read(
    _ word: Substring, after previous: SpokenNumber?, before next: Substring?
  ) -> Bool {
    let symbol = word.first.flatMap { "£€$¢".contains($0) ? String($0) : nil }
    if let digits = NumberText(digits: symbol == nil ? word : word.dropFirst()) {
      if let number, number.endsWithPoint {
        self.number = NumberText(continuing: number, String(word))
        return false
      }
      flush()
      prefix = symbol ?? prefix
      number = digits
      return false
    }
    guard let meaning = SpokenNumber(word) else {
      write(word)
      return false
    }
    let following = next.flatMap(SpokenNumber.init)
    let isBeforeNumber = following != nil || next.flatMap(NumberText.init(digits:)) != nil
    switch meaning {
    case .zero: number = NumberText(continuing: number, "0")
    case .unit(let value): number = appending(value, after: previous)
    case .tens(let value): number = number?.adding(value, below: 2) ?? NumberText(value)
    case .endingUnit(let value, let ending):
      write(ended: appending(value, after: previous), ending)
    case .endingTens(let value, let ending):
      write(ended: number?.adding(value, below: 2) ?? NumberText(value), ending)
    case .power(let exponent): multiply(exponent)
    case .endingPower(let exponent, let ending): multiply(exponent, ending)
    case .sign(let sign):
      flush()
      if isBeforeNumber { prefix = sign } else { write(word) }
    case .currency(let currency):
      guard number != nil else {
        write(word)
        break
      }
      prefix = currency
      flush()
    case .percent: writePercent(word)
    case .per:
      let isPercent = next == "cent" && number != nil
      writePercent(word, isPercent: isPercent)
      return isPercent
    case .and, .point, .times:
      guard isBeforeNumber else {
        write(word)
        break
      }
      return connect(meaning, word, after: previous, before: following)
    }
    return false
  }

  /// Returns the number after a unit, with the word before that.
  private func appending(_ value: Int, after previous: SpokenNumber?) -> NumberText {
    guard let number else { return NumberText(value) }
    switch previous {
    case .tens where !number.isInteger && value < 10: return number.replacingLast(with: value)
    case .unit: return NumberText(continuing: number, "\(value)")
    default: return number.adding(value, below: value < 10 ? 1 : 2)
    }
  }

  private mutating func multiply(_ exponent: Int) {
    guard let current = number else {
      number = NumberText(power: exponent)
      return
    }
    if current.isInteger, !current.isZero {
      number = current.multiplyingThousands(byPower: exponent)
    } else if let product = current.multiplied(byPower: exponent) {
      number = product
    } else {
      flush()
      number = NumberText(power: exponent)
    }
  }

  private mutating func multiply(_ exponent: Int, _ ending: String) {
    if let current = number, !current.isInteger, current.multiplied(byPower: exponent) == nil {
      flush()
    }
    multiply(exponent)
    if let number { write(ended: number, ending) }
  }

  private mutating func writePercent(_ word: Substring, isPercent: Bool = true) {
    if let number, isPercent {
      write(ended: number, "%")
    } else {
      write(word)
    }
  }

  /// Reads a word between numbers, and returns whether the word after it was read as well.
  private mutating func connect(
    _ meaning: SpokenNumber, _ word: Substring, after previous: SpokenNumber?,
    before following: SpokenNumber?
  ) -> Bool {
    switch (meaning, following) {
    case (.and, _):
      if case .power = previous { return false }
      write(word)
    case (.times(let count), .zero), (.times(let count), .unit):
      let digit = if case .unit(let value) = following { "\(value)" } else { "0" }
      number = NumberText(continuing: number, String(repeating: digit, count: count))
      return true
    case (.times, _): write(word)
    default:
      // Before other words than digits, a point is left out.
      if following?.isDecimal ?? true { number = NumberText(continuing: number, ".") }
    }
    return false
  }

  /// Ends the number that is being read.
  private mutating func flush() {
    guard let number else { return }
    write(ended: number, "")
  }

  private mutating func write(ended number: NumberText, _ ending: String) {
    result.append(prefix + number.text + ending)
    (prefix, self.number) = ("", nil)
  }

  /// Ends the number that is being read, and writes a word.
  private mutating func write(_ word: Substring) {
    flush()
    result.append(prefix + word)
    prefix = ""
  }
}

extension [Unicode.Scalar] {
  /// Returns the range of an amount: a symbol and all digits after it.
  fileprivate func amount(at index: Int, of symbols: String) -> Range<Int>? {
    guard index < count, symbols.unicodeScalars.contains(self[index]) else { return nil }
    let end = self[(index + 1)...].firstIndex { !$0.isASCIIDigit } ?? count
    return end > index + 1 ? index..<end : nil
  }

  /// Returns the digits of one or two cents after their symbol.
  fileprivate func cents(at index: Int) -> Range<Int>? {
    guard let range = amount(at: index, of: "¢") else { return nil }
    return shortDigits(from: range.lowerBound + 1)
  }

  /// Returns the digits of cents after a text.
  fileprivate func cents(after text: String, at index: Int) -> Range<Int>? {
    self[Swift.min(index, count)...].starts(with: text.unicodeScalars)
      ? cents(at: index + text.unicodeScalars.count) : nil
  }

  /// Returns the range of one or two digits before the end of a word.
  private func shortDigits(from index: Int) -> Range<Int>? {
    guard index < count else { return nil }
    let end = self[index...].firstIndex { !$0.isASCIIDigit } ?? count
    guard (1...2).contains(end - index), end == count || !self[end].isInWord else { return nil }
    return index..<end
  }

  /// The text with cents in place of amounts below one.
  fileprivate var withAmountsOfCents: String {
    var result: [Unicode.Scalar] = []
    var index = 0
    while index < count {
      if "€£$".unicodeScalars.contains(self[index]), index + 3 < count, self[index + 1] == "0",
        let digits = shortDigits(from: index + 3)
      {
        let cents = Int(self[digits].map { "\($0)" }.joined()) ?? 0
        result += "¢\(cents)".unicodeScalars
        index = digits.upperBound
      } else {
        result.append(self[index])
        index += 1
      }
    }
    return result.text
  }

  /// The scalars as a text.
  var text: String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: self)
    return String(view)
  }
}
