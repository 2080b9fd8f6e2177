import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// Writes records as they come, in the format that the user wants.
struct RecordWriter {
  let format: OutputFormat
  let labels: LabelSelection
  /// Whether the records are many, even when there is one of them.
  let isArray: Bool
  let console: Console

  /// Writes what comes before the first record.
  func begin() { console.writeOutput(header) }

  /// Writes a record.
  func write(_ record: RunRecord, isFirst: Bool) {
    console.writeOutput(bytes(of: record, isFirst: isFirst))
  }

  /// Writes what comes after the last record.
  func end() {
    if format == .json, isArray { console.print("\n]") }
  }

  /// What comes before the first record.
  var header: [UInt8] {
    switch format {
    case .json where isArray: lines(["["])
    case .csv: lines(["input,output,index,label,value"])
    case .json, .ndjson, .text: []
    }
  }

  /// A record.
  func bytes(of record: RunRecord, isFirst: Bool) -> [UInt8] {
    switch format {
    case .json where isArray: Array((isFirst ? "" : ",\n").utf8) + json(record, .compact)
    case .json: json(record, .indented) + Array("\n".utf8)
    case .ndjson: json(record, .compact) + Array("\n".utf8)
    case .csv: CSVRecord(record, labels: labels).bytes
    case .text: lines(TextRecord(record, labels: labels, console: console).lines)
    }
  }

  private func lines(_ lines: [String]) -> [UInt8] {
    lines.flatMap { Array($0.utf8) + Array("\n".utf8) }
  }

  private func json(_ record: RunRecord, _ style: JSONWriter.Style) -> [UInt8] {
    var writer = JSONWriter(style)
    record.write(to: &writer, labels: labels)
    return writer.bytes
  }
}

/// A record as rows of comma-separated values: `input,output,index,label,value`.
struct CSVRecord {
  private var table = CSVWriter()

  /// The rows, in UTF-8.
  var bytes: [UInt8] { table.bytes }

  init(_ record: RunRecord, labels: LabelSelection) {
    switch record.result {
    case .failure(let failure):
      table.append(row: [record.input, "error", "", failure.code, failure.message])
    case .success(let answer):
      for row in (answer.taskResult as? any TextRepresentable)?.tableRows ?? [] {
        table.append(row: [record.input, row.output, row.index, row.label, row.value])
      }
      for layer in answer.output.layers {
        let picture = answer.images[layer.name]
        for (index, label, value) in Self.values(layer.value, labels, picture) {
          table.append(row: [record.input, layer.name, index, label, value])
        }
      }
    }
  }

  private static func values(
    _ value: LayerValue, _ labels: LabelSelection, _ picture: ImageReference?
  ) -> [(index: String, label: String, value: String)] {
    switch value {
    case .classification(let classification):
      labels.entries(of: classification).map { ("\($0.index)", $0.label, number($0.score)) }
    case .numbers(let numbers):
      numbers.finiteElementTexts.enumerated().map { ("\($0)", "", $1) }
    case .image(let image):
      [("", "", picture?.filePath ?? "\(image.width)x\(image.height)")]
    case .bytes, .strings, .list: [("", "", value.kindDescription)]
    }
  }

  private static func number(_ value: Float) -> String { value.isFinite ? "\(value)" : "" }
}

extension ImageReference {
  /// The file, where the picture is in one.
  var filePath: String? { if case .file(let path) = self { path } else { nil } }
}

/// A record as people read it.
struct TextRecord {
  /// How many labels are shown when the user does not say.
  static let defaultLabelCount = 5
  /// How many numbers are shown; of more, only what they are like.
  static let maxNumbers = 16
  /// The length of the bar of a score of one.
  static let barLength = 20

  let lines: [String]

  init(_ record: RunRecord, labels: LabelSelection, console: Console) {
    switch record.result {
    case .failure(let failure):
      lines = [record.input, "  failed: \(failure.message)"].map(\.sanitizedForTerminal)
    case .success(let answer):
      var labels = labels
      labels.maxCount = labels.maxCount ?? Self.defaultLabelCount
      lines =
        [record.input.sanitizedForTerminal].filter { !$0.isEmpty }
        + ((answer.taskResult as? any TextRepresentable)?.textLines ?? [])
        + answer.output.layers.flatMap { layer in
          Self.text(layer, labels, answer.images[layer.name], isColored: console.isColored)
        }
        + (answer.isEmpty ? ["  no outputs: the bundle is a placeholder"] : [])
        + answer.notes.map { "  note: \($0)" }
        + [answer.annotatedImagePath.map { "  annotated: \($0)" }].compactMap(\.self)
        + [Self.timings(answer.timings)]
    }
  }

  private static func text(
    _ layer: ModelOutput.Layer, _ labels: LabelSelection, _ picture: ImageReference?,
    isColored: Bool
  ) -> [String] {
    let name = layer.name.sanitizedForTerminal
    switch layer.value {
    case .classification(let classification):
      let entries = labels.entries(of: classification)
      return ["  \(name)"]
        + (entries.isEmpty ? ["    no label above the threshold"] : table(entries, isColored))
    case .numbers(let numbers): return ["  \(name): \(text(numbers))"]
    case .image(let image):
      let place = picture?.filePath ?? "use --save DIR to keep it"
      return ["  \(name): a picture of \(image.width) × \(image.height), \(place)"]
    case .bytes, .strings, .list: return ["  \(name): \(layer.value.kindDescription)"]
    }
  }

  private static func table(_ entries: [Classification.Entry], _ isColored: Bool) -> [String] {
    let labels = entries.map(\.label.sanitizedForTerminal)
    let width = labels.map(\.count).max() ?? 0
    return zip(entries, labels).map { entry, label in
      let space = String(repeating: " ", count: width - label.count)
      let bar = bar(entry.score)
      let shown = isColored && !bar.isEmpty ? "\u{1B}[36m\(bar)\u{1B}[0m" : bar
      return "    \(label)\(space)  \(entry.score.formatted(decimals: 4))"
        + (shown.isEmpty ? "" : "  \(shown)")
    }
  }

  private static func bar(_ score: Float) -> String {
    guard score.isFinite else { return "" }
    let length = (min(max(score, 0), 1) * Float(barLength)).rounded()
    return String(repeating: "█", count: Int(length))
  }

  private static func text(_ numbers: Numbers) -> String {
    guard numbers.count <= maxNumbers else { return numbers.summary }
    let texts = numbers.elementTexts
    guard texts.count != 1 else { return texts[0] }
    return "[\(texts.joined(separator: ", "))]"
  }

  private static func timings(_ timings: Timings) -> String {
    "  "
      + timings.stages.map { "\($0.name) \($0.duration.milliseconds.formatted(decimals: 3))" }
      .joined(separator: " · ") + " ms"
  }
}

extension RunRecord.Success {
  fileprivate var isEmpty: Bool { output.layers.isEmpty && taskResult == nil }
}
