import TensorIOCore
import TensorIOSystem

/// A task's answer as people and tables have it.
package protocol TextRepresentable: TaskResult {
  /// The lines for people.
  var textLines: [String] { get }
  /// The rows of a table.
  var tableRows: [ResultRow] { get }
}

/// A row of a table of answers.
package struct ResultRow {
  package let output: String
  package let index: String
  package let label: String
  package let value: String
}

extension DetectionResult: TextRepresentable {
  package var textLines: [String] {
    let labels = detections.map(\.label.sanitizedForTerminal)
    let width = labels.map(\.count).max() ?? 0
    let rows = zip(detections, labels).enumerated().map { place, row in
      let (detection, label) = row
      let space = String(repeating: " ", count: width - label.count)
      let edges = detection.box.edges.map { "\(Int(clamping: $0.value.rounded()))" }
      return "    \(label)\(space)  \(detection.score.formatted(decimals: 4))"
        + "  x \(edges[0])–\(edges[2])  y \(edges[1])–\(edges[3])"
        + (attributes(at: place)?.text ?? "")
    }
    return ["  detections"] + (rows.isEmpty ? ["    nothing above the threshold"] : rows)
  }

  package var tableRows: [ResultRow] {
    detections.enumerated().flatMap { place, detection in
      ([("score", "\(detection.score)")] + detection.box.edges.map { ($0.name, "\($0.value)") })
        .map { name, value in
          ResultRow(
            output: "detections/\(place)/\(name)", index: "\(detection.index)",
            label: detection.label, value: value)
        } + (attributes(at: place)?.tableRows(prefix: "detections/\(place)") ?? [])
    }
  }
}

extension DetectionAttributes {
  /// What stands behind the thing in its line.
  var text: String {
    guard let name else { return layers.map { "  \(Self.text(for: $0))" }.joined() }
    return "  \(name.sanitizedForTerminal)" + (recognition?.distance.map { " \($0.formatted(decimals: 4))" } ?? "")
  }

  private static func text(for layer: ModelOutput.Layer) -> String {
    switch layer.value {
    case .classification(let classification):
      guard let best = LabelSelection().entries(of: classification).first else { return "" }
      return "\(best.label.sanitizedForTerminal) \(best.score.formatted(decimals: 4))"
    case .numbers(let numbers) where numbers.count > 1:
      return "\(layer.name.sanitizedForTerminal): \(numbers.summary)"
    case .numbers(let numbers): return "\(layer.name.sanitizedForTerminal): \(numbers.elementTexts.joined())"
    default: return "\(layer.name.sanitizedForTerminal): \(layer.value.kindDescription)"
    }
  }

  /// The rows of a table.
  func tableRows(prefix place: String) -> [ResultRow] {
    let told = name.map { name in
      ResultRow(output: "\(place)/name", index: "", label: name, value: distanceText)
    }
    return [told].compactMap(\.self)
      + layers.flatMap { layer in
        Self.rowValues(of: layer.value).map { index, label, value in
          ResultRow(output: "\(place)/\(layer.name)", index: index, label: label, value: value)
        }
      }
  }

  private var distanceText: String { recognition?.distance.map { "\($0)" } ?? "" }

  private static func rowValues(
    of value: LayerValue
  ) -> [(index: String, label: String, value: String)] {
    switch value {
    case .classification(let classification):
      LabelSelection().entries(of: classification).map { ("\($0.index)", $0.label, "\($0.score)") }
    case .numbers(let numbers): numbers.finiteElementTexts.enumerated().map { ("\($0)", "", $1) }
    default: [("", "", value.kindDescription)]
    }
  }
}
