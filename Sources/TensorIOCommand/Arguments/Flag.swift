/// A flag that a verb understands.
struct Flag: Sendable, Hashable {
  /// The name, without its dashes.
  let name: String
  /// What its value is called in the help; `nil` for a flag without a value.
  let valueName: String?
  /// What it does, in a line.
  let help: String
  /// The words that its value may be; empty when it may be anything.
  let choices: [String]
  /// The one letter that asks for it as well; `nil` for most.
  let shortName: Character?

  /// A flag with a value.
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

  /// A flag without a value.
  init(_ name: String, _ help: String) {
    self.name = name
    valueName = nil
    self.help = help
    choices = []
    shortName = nil
  }

  /// How the help shows it.
  var usage: String {
    (shortName.map { "-\($0), " } ?? "") + "--\(name)" + (valueName.map { " \($0)" } ?? "")
  }
}

/// How data is written.
enum OutputFormat: String, Sendable, CaseIterable {
  case text, json, ndjson, csv

  /// The flag that chooses it.
  static let flag = Flag(
    "format", "FORMAT", "text, json, ndjson or csv", choices: allCases.map(\.rawValue))
}
