import TensorIOBundle
import TensorIOCore
import TensorIOData

/// The arguments of a command, split into options and positional arguments.
struct ParsedArguments: Sendable, Equatable {
  /// The positional arguments, in order.
  let positionals: [String]
  private let values: [String: [String]]
  /// The unparsed arguments.
  let rawArguments: [String]

  /// Parses the arguments of a command that accepts the given options.
  ///
  /// `--name value` and `--name=value` are equivalent, and `--` ends the options. A single dash and
  /// negative numbers are positional arguments.
  ///
  /// - Throws: A usage error for an unknown option, a missing value or an invalid choice.
  init(_ arguments: [String], flags: [Flag]) throws(OperationError) {
    var positionals: [String] = []
    var values: [String: [String]] = [:]
    var rest = arguments[...]
    while let next = rest.popFirst() {
      let argument = Self.expandingShortFlag(next, flags)
      guard argument != "--" else {
        positionals += rest
        break
      }
      guard argument.hasPrefix("--") else {
        positionals.append(try Self.positional(argument))
        continue
      }
      let (flag, value) = try Self.flag(argument, among: flags, rest: &rest)
      values[flag.name, default: []].append(value)
    }
    self.positionals = positionals
    self.values = values
    rawArguments = arguments
  }

  /// Whether `--help` or `-h` occurs among the arguments, other than as the value of an option or
  /// after `--`.
  static func requestsHelp(_ arguments: [String], flags: [Flag]) -> Bool {
    let valueOptions = flags.filter { $0.valueName != nil }.map { "--\($0.name)" }
    var rest = arguments[...]
    while let next = rest.popFirst(), next != "--" {
      if next == "--help" || next == "-h" { return true }
      if valueOptions.contains(expandingShortFlag(next, flags)) { _ = rest.popFirst() }
    }
    return false
  }

  /// Returns whether a flag or option was given.
  func has(_ flag: Flag) -> Bool { values[flag.name] != nil }

  /// Returns the value of an option, the last one if it was repeated.
  func value(_ flag: Flag) -> String? { values[flag.name]?.last }

  /// Returns all values of a repeatable option.
  func values(_ flag: Flag) -> [String] { values[flag.name] ?? [] }

  /// Returns the given options with their values, except some, in a canonical order.
  func canonicalFlags(excluding excluded: [Flag]) -> [String] {
    values.filter { name, _ in !excluded.contains { $0.name == name } }
      .map { name, values in "--\(name) \(values)" }.sortedByBytes
  }

  /// Returns the value of an option as an integer within a range.
  func integer(_ flag: Flag, in range: ClosedRange<Int>) throws(OperationError) -> Int? {
    guard let text = value(flag) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let upper = range.upperBound == .max ? "up" : "to \(range.upperBound)"
      throw .usage(
        "--\(flag.name) takes an integer from \(range.lowerBound) \(upper), got '\(text)'")
    }
    return number
  }

  /// Returns the value of an option as comma-separated integers within a range.
  func integers(_ flag: Flag, in range: ClosedRange<Int>) throws(OperationError) -> [Int]? {
    guard let text = value(flag) else { return nil }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.allSatisfy({ $0.map(range.contains) ?? false }) else {
      throw .usage(
        "--\(flag.name) takes integers from \(range.lowerBound) to \(range.upperBound) "
          + "separated by commas, got '\(text)'")
    }
    return numbers.compactMap(\.self)
  }

  /// Returns the value of an option as a finite number.
  func number(_ flag: Flag) throws(OperationError) -> Double? {
    guard let text = value(flag) else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw .usage("--\(flag.name) takes a number, got '\(text)'")
    }
    return number
  }

  /// Returns the value of an option as a case of an enumeration.
  func choice<Choice: RawRepresentable>(
    _ flag: Flag, as type: Choice.Type = Choice.self
  ) -> Choice? where Choice.RawValue == String {
    value(flag).flatMap(Choice.init(rawValue:))
  }
}

extension ParsedArguments {
  /// Returns the long form of a short option; any other argument unchanged.
  private static func expandingShortFlag(_ argument: String, _ flags: [Flag]) -> String {
    let flag = flags.first { flag in flag.shortName.map { argument == "-\($0)" } ?? false }
    return flag.map { "--\($0.name)" } ?? argument
  }

  private static func positional(_ argument: String) throws(OperationError) -> String {
    let isShortFlag =
      argument.count > 1 && argument.hasPrefix("-") && Double(argument) == nil
      && argument.dropFirst().first?.isLetter == true
    guard !isShortFlag else {
      throw .usage(
        "unknown option '\(argument)'; long options begin with two dashes, `--` ends options"
      )
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
        "unknown option '--\(name)'"
          + spellingSuggestion(for: name, among: flags.map(\.name), prefix: "--"))
    }
    guard flag.valueName != nil else {
      guard attached == nil else { throw .usage("--\(name) takes no value") }
      return (flag, "")
    }
    guard let value = attached ?? rest.popFirst() else {
      throw .usage("--\(name) requires a value: \(flag.usage)")
    }
    guard flag.choices.isEmpty || flag.choices.contains(value) else {
      throw .usage(
        "--\(name) takes one of \(flag.choices.joined(separator: ", ")), got '\(value)'"
          + spellingSuggestion(for: value, among: flag.choices))
    }
    return (flag, value)
  }
}

/// Returns a suggestion to append to a message if the word resembles a known one; else nothing.
func spellingSuggestion(for word: String, among known: [String], prefix: String = "") -> String {
  Spelling.suggestion(for: word, among: known, prefix: prefix)
}
