import TensorIOCore

/// One thing that `tensorio` can do.
protocol Subcommand: Sendable {
  /// What it is called, what it does and how it is asked to.
  static var helpPage: HelpPage { get }

  /// Reads the command line.
  init(_ arguments: ParsedArguments) throws(OperationError)

  /// Does it.
  func run(_ console: Console) throws(OperationError) -> ExitCode
}

/// The help of one verb; also what its command line is read by.
struct HelpPage: Sendable {
  /// The word that asks for the verb.
  let name: String
  /// Other words for it.
  var aliases: [String] = []
  /// What it does, in a line.
  let summary: String
  /// What follows the verb.
  let usage: String
  /// What needs to be said before the flags; may be empty.
  var discussion = ""
  /// The flags that it understands besides the common ones.
  let flags: [Flag]
  /// Command lines that work, with what they do.
  let examples: [(command: String, effect: String)]

  /// The flags that every verb understands.
  static let commonFlags = [
    Flag.quiet, Flag("help", "shows this page"),
  ]

  /// All flags.
  var allFlags: [Flag] { flags + Self.commonFlags }

  /// The page as people read it.
  var text: String {
    var lines = ["tensorio \(name): \(summary)", "", "usage: tensorio \(name) \(usage)"]
    if !aliases.isEmpty { lines.append("alias: \(aliases.joined(separator: ", "))") }
    if !discussion.isEmpty { lines += ["", discussion] }
    lines += ["", "flags:"] + Self.table(allFlags.map { ($0.usage, $0.help) })
    lines += ["", "examples:"]
    lines += examples.flatMap { ["  \($0.command)", "      \($0.effect)"] }
    return lines.joined(separator: "\n")
  }

  /// Rows of two columns.
  static func table(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
      "  " + left + String(repeating: " ", count: width - left.count + 3) + right
    }
  }
}

extension Flag {
  static let quiet = Flag("quiet", "says nothing but data and errors")
}
