internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOTasks

extension ThingDetails {
  /// What stands behind the thing in its line.
  var text: String {
    guard let name else { return layers.map { "  \(Self.text($0))" }.joined() }
    return "  \(name.printable)" + (recognition?.distance.map { " \($0.fixed(4))" } ?? "")
  }

  private static func text(_ layer: ModelOutput.Layer) -> String {
    switch layer.value {
    case .classification(let classification):
      guard let best = LabelSelection().entries(of: classification).first else { return "" }
      return "\(best.label.printable) \(best.score.fixed(4))"
    case .numbers(let numbers) where numbers.count > 1:
      return "\(layer.name.printable): \(numbers.summary)"
    case .numbers(let numbers): return "\(layer.name.printable): \(numbers.texts.joined())"
    default: return "\(layer.name.printable): \(layer.value.kindName)"
    }
  }

  /// The rows of a table.
  func rows(under place: String) -> [AnswerRow] {
    let told = name.map { name in
      AnswerRow(output: "\(place)/name", index: "", label: name, value: distance)
    }
    return [told].compactMap(\.self)
      + layers.flatMap { layer in
        Self.values(layer.value).map { index, label, value in
          AnswerRow(output: "\(place)/\(layer.name)", index: index, label: label, value: value)
        }
      }
  }

  private var distance: String { recognition?.distance.map { "\($0)" } ?? "" }

  private static func values(
    _ value: LayerValue
  ) -> [(index: String, label: String, value: String)] {
    switch value {
    case .classification(let classification):
      LabelSelection().entries(of: classification).map { ("\($0.index)", $0.label, "\($0.score)") }
    case .numbers(let numbers): numbers.finiteTexts.enumerated().map { ("\($0)", "", $1) }
    default: [("", "", value.kindName)]
    }
  }
}
