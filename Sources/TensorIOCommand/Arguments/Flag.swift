/// A flag that a verb understands.
struct Flag: Sendable, Hashable {
  /// The name, without its dashes.
  let name: String
  /// What its value is called in the help; `nil` for a flag without a value.
  let value: String?
  /// What it does, in a line.
  let help: String
  /// The words that its value may be; empty when it may be anything.
  let choices: [String]
  /// The one letter that asks for it as well; `nil` for most.
  let short: Character?

  /// A flag with a value.
  init(
    _ name: String, _ value: String, _ help: String, choices: [String] = [],
    short: Character? = nil
  ) {
    self.name = name
    self.value = value
    self.help = help
    self.choices = choices
    self.short = short
  }

  /// A flag without a value.
  init(_ name: String, _ help: String) {
    self.name = name
    value = nil
    self.help = help
    choices = []
    short = nil
  }

  /// How the help shows it.
  var usage: String {
    (short.map { "-\($0), " } ?? "") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }
}
