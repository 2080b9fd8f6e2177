import TensorIOCore
import TensorIOSystem

/// A task result that can be displayed as text and as rows of a table.
package protocol TextRepresentable: TaskResult {
  /// The result as lines of text.
  var textLines: [String] { get }
  /// The result as rows of a table.
  var tableRows: [ResultRow] { get }
}

/// A row of a table of results.
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
    let rows = zip(detections, labels).enumerated().map { index, row in
      let (detection, label) = row
      let space = String(repeating: " ", count: width - label.count)
      let edges = detection.box.edges.map { "\(Int(clamping: $0.value.rounded()))" }
      return "    \(label)\(space)  \(detection.score.formatted(decimals: 4))"
        + "  x \(edges[0])–\(edges[2])  y \(edges[1])–\(edges[3])"
        + (attributes(at: index)?.text ?? "")
    }
    return ["  detections"] + (rows.isEmpty ? ["    none above the threshold"] : rows)
  }

  package var tableRows: [ResultRow] {
    detections.enumerated().flatMap { index, detection in
      ([("score", "\(detection.score)")] + detection.box.edges.map { ($0.name, "\($0.value)") })
        .map { name, value in
          ResultRow(
            output: "detections/\(index)/\(name)", index: "\(detection.index)",
            label: detection.label, value: value)
        } + (attributes(at: index)?.tableRows(prefix: "detections/\(index)") ?? [])
    }
  }
}

extension DetectionAttributes {
  /// The text after the detection in its line.
  var text: String {
    guard let name else { return layers.map { "  \(Self.text(for: $0))" }.joined() }
    return "  \(name.sanitizedForTerminal)"
      + (recognition?.distance.map { " \($0.formatted(decimals: 4))" } ?? "")
  }

  private static func text(for layer: ModelOutput.Layer) -> String {
    switch layer.value {
    case .classification(let classification):
      guard let best = LabelSelection().entries(of: classification).first else { return "" }
      return "\(best.label.sanitizedForTerminal) \(best.score.formatted(decimals: 4))"
    case .numbers(let numbers) where numbers.count > 1:
      return "\(layer.name.sanitizedForTerminal): \(numbers.summary)"
    case .numbers(let numbers):
      return "\(layer.name.sanitizedForTerminal): \(numbers.elementTexts.joined())"
    default: return "\(layer.name.sanitizedForTerminal): \(layer.value.kindDescription)"
    }
  }

  /// Returns the rows of a table.
  func tableRows(prefix: String) -> [ResultRow] {
    let nameRow = name.map { name in
      ResultRow(output: "\(prefix)/name", index: "", label: name, value: distanceText)
    }
    return [nameRow].compactMap(\.self)
      + layers.flatMap { layer in
        Self.rowValues(of: layer.value).map { index, label, value in
          ResultRow(output: "\(prefix)/\(layer.name)", index: index, label: label, value: value)
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
