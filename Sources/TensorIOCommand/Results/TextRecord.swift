internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOImage

/// A record as people read it.
struct TextRecord {
  /// How many labels are shown when the user does not say.
  static let usualLabels = 5
  /// How many numbers are shown; of more, only what they are like.
  static let usualNumbers = 16
  /// The length of the bar of a score of one.
  static let barLength = 20

  let lines: [String]

  init(_ record: RunRecord, labels: LabelSelection, console: Console) {
    switch record.result {
    case .failure(let failure):
      lines = [record.input, "  failed: \(failure.message)"].map(\.printable)
    case .success(let answer):
      var labels = labels
      labels.count = labels.count ?? Self.usualLabels
      lines =
        [record.input.printable].filter { !$0.isEmpty }
        + ((answer.telling as? any ShownAnswer)?.lines ?? [])
        + answer.output.layers.flatMap { layer in
          Self.text(layer, labels, answer.pictures[layer.name], isColored: console.isColored)
        }
        + (answer.isEmpty ? ["  no outputs: the bundle is a placeholder"] : [])
        + answer.notes.map { "  note: \($0)" }
        + [answer.annotated.map { "  annotated: \($0)" }].compactMap(\.self)
        + [Self.timings(answer.timings)]
    }
  }

  private static func text(
    _ layer: ModelOutput.Layer, _ labels: LabelSelection, _ picture: PictureReference?,
    isColored: Bool
  ) -> [String] {
    let name = layer.name.printable
    switch layer.value {
    case .classification(let classification):
      let entries = labels.entries(of: classification)
      return ["  \(name)"]
        + (entries.isEmpty ? ["    no label above the threshold"] : table(entries, isColored))
    case .numbers(let numbers): return ["  \(name): \(text(numbers))"]
    case .image(let image):
      let place = picture?.path ?? "use --save DIR to keep it"
      return ["  \(name): a picture of \(image.width) × \(image.height), \(place)"]
    case .bytes, .strings, .list: return ["  \(name): \(layer.value.kindName)"]
    }
  }

  private static func table(_ entries: [Classification.Entry], _ isColored: Bool) -> [String] {
    let labels = entries.map(\.label.printable)
    let width = labels.map(\.count).max() ?? 0
    return zip(entries, labels).map { entry, label in
      let space = String(repeating: " ", count: width - label.count)
      let bar = bar(entry.score)
      let shown = isColored && !bar.isEmpty ? "\u{1B}[36m\(bar)\u{1B}[0m" : bar
      return "    \(label)\(space)  \(entry.score.fixed(4))"
        + (shown.isEmpty ? "" : "  \(shown)")
    }
  }

  private static func bar(_ score: Float) -> String {
    guard score.isFinite else { return "" }
    let length = (min(max(score, 0), 1) * Float(barLength)).rounded()
    return String(repeating: "█", count: Int(length))
  }

  private static func text(_ numbers: Numbers) -> String {
    guard numbers.count <= usualNumbers else { return numbers.summary }
    let texts = numbers.texts
    guard texts.count != 1 else { return texts[0] }
    return "[\(texts.joined(separator: ", "))]"
  }

  private static func timings(_ timings: Timings) -> String {
    "  "
      + timings.stages.map { "\($0.name) \($0.duration.milliseconds.fixed(3))" }
      .joined(separator: " · ") + " ms"
  }
}

extension RunRecord.Answer {
  fileprivate var isEmpty: Bool { output.layers.isEmpty && telling == nil }
}
