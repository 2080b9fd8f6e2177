import TensorIOBundle
package import TensorIOCore
import TensorIOSystem

/// The outputs of a chain's later steps for one detection, and its recognition.
package struct DetectionAttributes {
  /// The outputs of later steps for the detection.
  package let layers: [ModelOutput.Layer]
  /// The result of searching a gallery; `nil` if none was used.
  package var recognition: Recognition?

  /// Creates attributes.
  init(layers: [ModelOutput.Layer], recognition: Recognition? = nil) {
    (self.layers, self.recognition) = (layers, recognition)
  }

  /// The name of the layer with the embedding.
  static let embeddingName = OutputRole.embedding.name

  /// The embedding of the detection; `nil` if no later step computes one.
  var embedding: Embedding? {
    guard
      case .numbers(let numbers)? = layers.first(where: { $0.name == Self.embeddingName })?.value
    else { return nil }
    return Embedding((0..<numbers.count).map { Float(numbers[$0]) })
  }

  /// The recognized name or a placeholder; `nil` if no gallery was used.
  package var name: String? { recognition?.displayName }

  /// Returns the name of an output among the members of a detection.
  static func memberName(_ name: String) -> String {
    reservedKeys.contains(name) ? "output_\(name)" : name
  }

  /// The members that every detection may have.
  private static let reservedKeys: Set = [
    "id", "label", "index", "score", "color", "box", "keypoints", "name", "matched", "distance",
  ]
}

extension DetectionAttributes {
  /// The text after the detection in its line.
  var text: String {
    guard let recognition else { return layers.map { "  \(Self.text(for: $0))" }.joined() }
    return "  \(recognition.text.sanitizedForTerminal)"
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
    case .strings(let strings): return "\(layer.name): \(strings)".sanitizedForTerminal
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
    case .strings(let strings): strings.elementTexts.enumerated().map { ("\($0)", "", $1) }
    default: [("", "", value.kindDescription)]
    }
  }
}
