import TensorIOData

/// A command-line flag or option of a command.
struct Flag: Sendable, Hashable {
  /// The name, without its dashes.
  let name: String
  /// The placeholder of the value in help texts; `nil` for a flag without a value.
  let valueName: String?
  /// A one-line description.
  let help: String
  /// The accepted values; empty if any value is accepted.
  let choices: [String]
  /// The short form, such as `o` for `-o`; `nil` if there is none.
  let shortName: Character?
  /// The actions of the command that take the option; empty for all.
  private(set) var actions: [String] = []

  /// Creates an option that takes a value.
  init(
    _ name: String, _ value: String, _ help: String, choices: [String] = [],
    shortName: Character? = nil
  ) {
    self.name = name
    self.valueName = value
    self.help = help
    self.choices = choices
    self.shortName = shortName
  }

  /// Creates a flag without a value.
  init(_ name: String, _ help: String, shortName: Character? = nil) {
    self.name = name
    valueName = nil
    self.help = help
    choices = []
    self.shortName = shortName
  }

  /// Returns the option as one of some actions of its command.
  ///
  /// - Parameter actions: The names of the actions.
  /// - Returns: The option.
  func of(_ actions: String...) -> Flag { of(actions) }

  fileprivate func of(_ actions: [String]) -> Flag {
    var copy = self
    copy.actions = actions
    return copy
  }

  /// Returns whether an action takes the option.
  func isOf(_ action: String) -> Bool { actions.isEmpty || actions.contains(action) }

  /// The flag as the help shows it, such as `-o, --output FILE`.
  var usage: String {
    (shortName.map { "-\($0), " } ?? "") + "--\(name)" + (valueName.map { " \($0)" } ?? "")
  }
}

extension [Flag] {
  /// Returns the options as those of some actions of their command.
  ///
  /// - Parameter actions: The names of the actions.
  /// - Returns: The options.
  func of(_ actions: String...) -> [Flag] { map { $0.of(actions) } }
}

/// The format of results on standard output.
enum OutputFormat: String, Sendable, CaseIterable {
  case text, json, ndjson, csv

  /// The option that selects the format.
  static let flag = Flag(
    "format", "FORMAT", "Output format: text, json, ndjson or csv",
    choices: allCases.map(\.rawValue))
}

extension CSVWriter.CellStyle {
  /// The option for CSV that another program reads.
  static let rawFlag = Flag(
    "raw-csv", "Write CSV text unchanged, including text that looks like a formula")

  /// The style that the options select.
  init(_ arguments: ParsedArguments) { self = arguments.has(Self.rawFlag) ? .raw : .display }
}
