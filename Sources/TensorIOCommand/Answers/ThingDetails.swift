internal import TensorIOCore
internal import TensorIOTasks

/// What later steps of a chain say of one thing, and whom a gallery takes it for.
struct ThingDetails {
  /// What came out of the last step for it.
  let layers: [ModelOutput.Layer]
  /// Whom a gallery takes it for; `nil` where no gallery was asked.
  var recognition: Recognition?

  /// By what it is known, where a gallery was asked.
  var name: String? { recognition.map { $0.name ?? GalleryReport.stranger } }

  /// Writes it as members of the thing's object.
  func write(to writer: inout JSONWriter) {
    if let recognition, let name {
      writer.member("name", name)
      writer.member("known", recognition.name != nil)
      if let distance = recognition.distance { writer.member("distance", distance) }
    }
    for layer in layers {
      writer.key(Self.taken.contains(layer.name) ? "output_\(layer.name)" : layer.name)
      writer.value(layer.value)
    }
  }

  /// The keys that a thing's object has already.
  private static let taken: Set = [
    "label", "index", "score", "color", "box", "keypoints", "name", "known", "distance",
  ]

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
