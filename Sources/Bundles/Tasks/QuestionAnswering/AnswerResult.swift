import TensorIOCore
package import TensorIOJSON

/// The answers of a run, for output.
package struct AnswerResult: TaskResult {
  package let key = "answers"
  package let answers: [Answer]

  package func write(to writer: inout JSONWriter) {
    writer.array { writer in
      for answer in answers {
        writer.object { writer in
          writer.member("text", answer.text)
          writer.member("score", answer.score)
          writer.member("start", answer.range.lowerBound)
          writer.member("end", answer.range.upperBound)
        }
      }
    }
  }

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
