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
    Flag.quiet, Flag("help", "Print this help", shortName: "h"),
  ]

  /// All options, including the common ones.
  var allFlags: [Flag] { flags + Self.commonFlags }

  /// The page as text.
  var text: String {
    var lines = ["tensorio \(name) - \(summary)", ""]
    for (index, form) in usage.split(separator: "\n").enumerated() {
      lines.append((index == 0 ? "usage: " : "       ") + "tensorio \(name) \(form)")
    }
    if !aliases.isEmpty { lines.append("alias: \(aliases.joined(separator: ", "))") }
    if !discussion.isEmpty { lines += ["", discussion] }
    lines += ["", "options:"] + Self.table(allFlags.map { ($0.usage, $0.help) })
    lines += ["", "examples:"]
    lines += examples.flatMap { ["  \($0.command)", "      \($0.effect)"] }
    return lines.joined(separator: "\n")
  }

  /// Returns a usage error that ends with the command's synopsis.
  func usageError(_ message: String) -> OperationError {
    let forms = usage.split(separator: "\n")
    guard forms.count == 1 else { return .usage("\(message); see `tensorio \(name) --help`") }
    return .usage("\(message); usage: tensorio \(name) \(usage)")
  }

  /// Returns rows of two aligned columns.
  static func table(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
      "  " + left + String(repeating: " ", count: width - left.count + 3) + right
    }
  }
}

extension Flag {
  static let quiet = Flag("quiet", "Print only results and errors")
}
