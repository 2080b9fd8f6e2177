internal import TensorIOCore

/// A task's answer as people and tables have it.
protocol ShownAnswer: TellingAnswer {
  /// The lines for people.
  var lines: [String] { get }
  /// The rows of a table.
  var rows: [AnswerRow] { get }
}

/// A row of a table of answers.
struct AnswerRow {
  let output: String
  let index: String
  let label: String
  let value: String
}
