import TensorIOCore

/// A command of the program, such as `tensorio run`.
protocol Subcommand: Sendable {
  /// The help page, which also defines the options that the command accepts.
  static var helpPage: HelpPage { get }

  /// Creates the command from its parsed arguments.
  ///
  /// - Throws: A usage error if the arguments are invalid.
  init(_ arguments: ParsedArguments) throws(OperationError)

  /// Runs the command.
  func run(_ console: Console) throws(OperationError) -> ExitCode
}

/// The help page of a command, which also defines the options it accepts.
struct HelpPage: Sendable {
  /// The name of the command.
  let name: String
  /// Alternative names.
  var aliases: [String] = []
  /// A one-line summary in the imperative.
  let summary: String
  /// The arguments after the command name, one line per form.
  let usage: String
  /// A description printed before the options; may be empty.
  var discussion = ""
  /// The options of the command, without the common ones.
  let flags: [Flag]
  /// Example command lines and their effects.
  let examples: [(command: String, effect: String)]

  /// The options of every command.
  static let commonFlags = [
    Flag.quiet, ColorChoice.flag, Flag("help", "Print this help", shortName: "h"),
  ]

  /// All options, including the common ones.
  var allFlags: [Flag] { flags + Self.commonFlags }

  /// Returns a usage error that ends with the command's synopsis.
  func usageError(_ message: String) -> OperationError {
    let forms = usage.split(separator: "\n")
    guard forms.count == 1 else { return .usage("\(message); see `tensorio \(name) --help`") }
    return .usage("\(message); usage: tensorio \(name) \(usage)")
  }

  /// Returns the usage error for arguments whose first word should be one of the page's actions.
  ///
  /// The message names the closest action, or the synopsis of the action with the wrong number of
  /// arguments.
  ///
  /// - Parameter words: The positional arguments.
  /// - Returns: The error.
  func actionError(_ words: [String]) -> OperationError {
    let forms = usage.split(separator: "\n").map(String.init)
    let expected = "expected " + Self.list(actions, "or")
    guard let word = words.first else {
      return .usage("missing action: \(expected); see `tensorio \(name) --help`")
    }
    guard let form = zip(actions, forms).first(where: { $0.0 == word })?.1 else {
      return .usage(
        "unknown action '\(word)': \(expected)" + spellingSuggestion(for: word, among: actions))
    }
    return .usage("wrong number of arguments; usage: tensorio \(name) \(form)")
  }
}

extension Flag {
  static let quiet = Flag("quiet", "Print only results and errors")
}
