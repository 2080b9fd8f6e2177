/// What a word contributes to a number.
enum SpokenNumber: Sendable, Hashable {
  /// Zero, as it is spoken in numbers of telephones too.
  case zero
  /// One to nineteen.
  case unit(Int)
  /// A multiple of ten.
  case tens(Int)
  /// A power of ten, with its exponent.
  case power(Int)
  /// A unit with an ending such as `th`.
  case endingUnit(Int, String)
  /// A multiple of ten with an ending.
  case endingTens(Int, String)
  /// A power of ten with an ending.
  case endingPower(Int, String)
  /// The sign of the number that follows.
  case sign(String)
  /// The currency of the number before.
  case currency(String)
  /// Percent, or its first half.
  case percent, per
  /// A word between parts of a number.
  case and
  /// The point of a decimal number.
  case point
  /// The number of times that the next digit occurs.
  case times(Int)

  /// Creates the meaning of a word; `nil` if it belongs to no number.
  init?(_ word: Substring) {
    guard let meaning = Self.meanings[word] else { return nil }
    self = meaning
  }

  /// Whether the word is one of those that follow a point.
  var isDecimal: Bool {
    switch self {
    case .zero, .unit, .tens: true
    default: false
    }
  }

  private static let units =
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
  private static let tens = "twenty thirty forty fifty sixty seventy eighty ninety"
  private static let powers =
    "hundred thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion"

  private static let meanings: [Substring: SpokenNumber] = {
    var meanings: [Substring: SpokenNumber] = [
      "o": .zero, "oh": .zero, "zero": .zero, "zeroth": .endingUnit(0, "th"), "minus": .sign("-"),
      "negative": .sign("-"), "plus": .sign("+"), "positive": .sign("+"), "per": .per,
      "percent": .percent, "and": .and, "double": .times(2), "triple": .times(3), "point": .point,
      "first": .endingUnit(1, "st"), "second": .endingUnit(2, "nd"),
      "third": .endingUnit(3, "rd"), "fifth": .endingUnit(5, "th"),
      "twelfth": .endingUnit(12, "th"),
    ]
    for (name, symbol) in [("pound", "£"), ("euro", "€"), ("dollar", "$"), ("cent", "¢")] {
      meanings[Substring(name)] = .currency(symbol)
      meanings[Substring(name + "s")] = .currency(symbol)
    }
    for (index, name) in units.split(separator: " ").enumerated() {
      let value = index + 1
      meanings[name] = .unit(value)
      meanings[name == "six" ? "sixes" : name + "s"] = .endingUnit(value, "s")
      // The published rules know "nineth", and not "ninth".
      guard value > 3, value != 5, value != 12 else { continue }
      meanings[name + (name.hasSuffix("t") ? "h" : "th")] = .endingUnit(value, "th")
    }
    for (index, name) in tens.split(separator: " ").enumerated() {
      let value = 10 * (index + 2)
      meanings[name] = .tens(value)
      meanings[name.dropLast() + "ies"] = .endingTens(value, "s")
      meanings[name.dropLast() + "ieth"] = .endingTens(value, "th")
    }
    for (index, name) in powers.split(separator: " ").enumerated() {
      let exponent = index == 0 ? 2 : 3 * index
      meanings[name] = .power(exponent)
      meanings[name + "s"] = .endingPower(exponent, "s")
      meanings[name + "th"] = .endingPower(exponent, "th")
    }
    return meanings
  }()
}
