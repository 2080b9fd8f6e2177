import TensorIOCore
package import TensorIOJSON
import TensorIOSystem

/// The name that a gallery gives to an embedding, for output.
package struct RecognitionResult: TaskResult {
  package let key = "recognition"
  package let recognition: Recognition

  package func write(to writer: inout JSONWriter) {
    writer.object { recognition.writeMembers(to: &$0, withNeighbors: true) }
  }

  package var textLines: [String] { ["  \(key)  \(recognition.text.sanitizedForTerminal)"] }

  package var tableRows: [ResultRow] {
    [
      ResultRow(
        output: key, label: recognition.displayName,
        value: recognition.distance.map { "\($0)" } ?? "")
    ]
  }

  package var summary: String { recognition.text }

  package var overlay: Overlay {
    let share = Double(recognition.votes) / Double(max(1, recognition.neighbors.count))
    return Overlay([.scores([.init(label: recognition.displayName, score: share)])])
  }
}

extension Recognition {
  /// The name of an unknown person or object.
  package static let unknownName = "unknown"

  /// The name, or the placeholder of an unknown one.
  package var displayName: String { name ?? Self.unknownName }

  /// The name and the distance.
  package var text: String {
    displayName + (distance.map { " \($0.formatted(decimals: 4))" } ?? "")
  }

  /// Writes the members of a JSON object.
  package func writeMembers(to writer: inout JSONWriter, withNeighbors: Bool) {
    writer.member("name", displayName)
    writer.member("matched", name != nil)
    if let distance { writer.member("distance", distance) }
    guard withNeighbors else { return }
    writer.member("votes", votes)
    writer.member(
      "neighbors",
      array: { writer in
        for neighbor in neighbors {
          writer.object { writer in
            writer.member("name", neighbor.name)
            writer.member("distance", neighbor.distance)
          }
        }
      })
  }
}
