import TensorIOCore
import TensorIOSystem

/// The name that a gallery gives to an embedding, for output.
package struct RecognitionResult: TaskResult {
  package let key = "recognition"
  package let recognition: Recognition

  package var content: Recognition { recognition }

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
}

extension Recognition: ResultRecord {
  /// The members that a detection has too.
  static let ownMembers = [
    Member("name", \.displayName), Member("matched", { $0.name != nil }),
    Member("distance", \.distance),
  ]

  /// The name, and what led to it.
  public static let members =
    ownMembers + [Member("votes", \.votes), Member("neighbors", \.neighbors)]
}

extension Recognition.Neighbor: ResultRecord {
  /// The name and the distance.
  public static let members = [Member("name", \.name), Member("distance", \.distance)]
}
