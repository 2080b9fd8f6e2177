import TensorIOCore

/// The sections of a text with labels, for output.
package struct EntityResult: TaskResult {
  package let key = "entities"
  package let entities: [LabeledText]

  package var content: [LabeledText] { entities }

  package var textLines: [String] {
    entities.isEmpty
      ? ["  no entities"]
      : ["  entities"]
        + entities.map { "    \($0.text)  \($0.label) \($0.score.formatted(decimals: 4))" }
  }

  package var tableRows: [ResultRow] {
    entities.enumerated().map {
      ResultRow(output: key, index: "\($0)", label: $1.label, value: $1.text)
    }
  }

  package var summary: String {
    entities.isEmpty
      ? "no entities" : entities.map { "\($0.text) (\($0.label))" }.joined(separator: ", ")
  }
}
