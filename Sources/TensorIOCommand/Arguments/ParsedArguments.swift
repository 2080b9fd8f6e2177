import TensorIOBundle
import TensorIOCore
import TensorIOData

/// The words of a command line, sorted into flags and the rest.
struct ParsedArguments: Sendable, Equatable {
  /// The words that are no flags, in order.
  let positionals: [String]
  private let values: [String: [String]]
  /// The words of the command line as they came.
  let rawArguments: [String]

  /// Sorts the words of a command line by the flags that a verb understands.
  ///
  /// `--name value` and `--name=value` mean the same; `--` ends the flags; a single dash, a
  /// negative number and anything else that begins otherwise is a word.
  init(_ arguments: [String], flags: [Flag]) throws(OperationError) {
    var words: [String] = []
    var values: [String: [String]] = [:]
    var rest = arguments[...]
    while let word = rest.popFirst() {
      let argument = Self.expandingShortFlag(word, flags)
      guard argument != "--" else {
        words += rest
        break
      }
      guard argument.hasPrefix("--") else {
        words.append(try Self.positional(argument))
        continue
      }
      let (flag, value) = try Self.flag(argument, among: flags, rest: &rest)
      values[flag.name, default: []].append(value)
    }
    self.positionals = words
    self.values = values
    rawArguments = arguments
  }

  /// Whether a flag was given.
  func has(_ flag: Flag) -> Bool { values[flag.name] != nil }

  /// The value of a flag, the last one when it was given more than once.
  func value(_ flag: Flag) -> String? { values[flag.name]?.last }

  /// All values of a flag that may be given more than once.
  func values(_ flag: Flag) -> [String] { values[flag.name] ?? [] }

  /// The flags that were given, but for some, in an order of their own.
  func canonicalFlags(excluding left: [Flag]) -> [String] {
    values.filter { name, _ in !left.contains { $0.name == name } }
      .map { name, values in "--\(name) \(values)" }.sortedByBytes
  }

  /// The value of a flag as a number within limits.
  func integer(_ flag: Flag, in range: ClosedRange<Int>) throws(OperationError) -> Int? {
    guard let text = value(flag) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let upper = range.upperBound == .max ? "up" : "to \(range.upperBound)"
      throw .usage(
        "--\(flag.name) takes a whole number from \(range.lowerBound) \(upper), got '\(text)'")
    }
    return number
  }

  /// The value of a flag as whole numbers within limits, with commas between them.
  func integers(_ flag: Flag, in range: ClosedRange<Int>) throws(OperationError) -> [Int]? {
    guard let text = value(flag) else { return nil }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.allSatisfy({ $0.map(range.contains) ?? false }) else {
      throw .usage(
        "--\(flag.name) takes whole numbers from \(range.lowerBound) to \(range.upperBound), "
          + "such as 1,2, got '\(text)'")
    }
    return numbers.compactMap(\.self)
  }

  /// The value of a flag as a fraction.
  func number(_ flag: Flag) throws(OperationError) -> Double? {
    guard let text = value(flag) else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw .usage("--\(flag.name) takes a number, got '\(text)'")
    }
    return number
  }

  /// The value of a flag as one of a type's words.
  func choice<Choice: RawRepresentable>(
    _ flag: Flag, as type: Choice.Type = Choice.self
  ) -> Choice? where Choice.RawValue == String {
    value(flag).flatMap(Choice.init(rawValue:))
  }
}

extension ParsedArguments {
  /// A flag of one letter by its name; anything else as it is.
  private static func expandingShortFlag(_ argument: String, _ flags: [Flag]) -> String {
    let flag = flags.first { flag in flag.shortName.map { argument == "-\($0)" } ?? false }
    return flag.map { "--\($0.name)" } ?? argument
  }

  private static func positional(_ argument: String) throws(OperationError) -> String {
    let isShortFlag =
      argument.count > 1 && argument.hasPrefix("-") && Double(argument) == nil
      && argument.dropFirst().first?.isLetter == true
    guard !isShortFlag else {
      throw .usage("unknown flag '\(argument)'; flags begin with two dashes, and `--` ends them")
    }
    return argument
  }

  private static func flag(
    _ argument: String, among flags: [Flag], rest: inout ArraySlice<String>
  ) throws(OperationError) -> (Flag, String) {
    let parts = argument.dropFirst(2)
      .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let attached = parts.count > 1 ? String(parts[1]) : nil
    guard let flag = flags.first(where: { $0.name == name }) else {
      throw .usage(
        "unknown flag '--\(name)'" + spellingSuggestion(for: name, among: flags.map(\.name), prefix: "--"))
    }
    guard flag.valueName != nil else {
      guard attached == nil else { throw .usage("--\(name) takes no value") }
      return (flag, "")
    }
    guard let value = attached ?? rest.popFirst() else {
      throw .usage("--\(name) needs a value: \(flag.usage)")
    }
    guard flag.choices.isEmpty || flag.choices.contains(value) else {
      throw .usage(
        "--\(name) takes \(flag.choices.joined(separator: ", ")), got '\(value)'"
          + spellingSuggestion(for: value, among: flag.choices))
    }
    return (flag, value)
  }
}

/// A question to add to a message when a word is nearly one of those that are known.
func spellingSuggestion(for word: String, among known: [String], prefix: String = "") -> String {
  guard let nearest = Spelling.closestMatch(to: word, among: known) else { return "" }
  return "; did you mean '\(prefix)\(nearest)'?"
}
