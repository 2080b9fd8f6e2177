import TensorIOCore

/// The answers of a run, for output.
package struct AnswerResult: TaskResult {
  package let key = "answers"
  package let answers: [Answer]

  package var content: [Answer] { answers }

  package var textLines: [String] {
    answers.isEmpty
      ? ["  no answer"]
      : ["  answers"] + answers.map { "    \($0.text)  \($0.score.formatted(decimals: 4))" }
  }

  package var tableRows: [ResultRow] {
    answers.enumerated().map {
      ResultRow(output: key, index: "\($0)", label: $1.text, value: "\($1.score)")
    }
  }

  package var summary: String { answers.first?.text ?? "no answer" }
}
