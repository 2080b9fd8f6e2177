import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// Writes records in an output format.
struct RecordWriter {
  let format: OutputFormat
  let labels: LabelSelection
  /// Whether JSON output is an array, even for a single record.
  let isArray: Bool
  /// How the cells of CSV rows are written.
  var cellStyle = CSVWriter.CellStyle.display
  let console: Console

  /// Writes the header.
  func begin() { console.writeOutput(header) }

  /// Writes a record.
  func write(_ record: RunRecord, isFirst: Bool) {
    console.writeOutput(bytes(of: record, isFirst: isFirst))
  }

  /// Writes the footer.
  func end() {
    if format == .json, isArray { console.print("\n]") }
  }

  /// The bytes before the first record.
  var header: [UInt8] {
    switch format {
    case .json where isArray: lines(["["])
    case .csv: lines(["input,output,index,label,value"])
    case .json, .ndjson, .text: []
    }
  }

  /// Returns the bytes of a record.
  func bytes(of record: RunRecord, isFirst: Bool) -> [UInt8] {
    switch format {
    case .json where isArray: Array((isFirst ? "" : ",\n").utf8) + json(record, .compact)
    case .json: json(record, .indented) + Array("\n".utf8)
    case .ndjson: json(record, .compact) + Array("\n".utf8)
    case .csv: CSVRecord(record, labels: labels, cellStyle).bytes
    case .text: lines(textLines(of: record))
    }
  }

  private func textLines(of record: RunRecord) -> [String] {
    TextRecord(record, labels: labels).lines.flatMap { console.outputText.lines($0) }
  }

  private func lines(_ lines: [String]) -> [UInt8] {
    lines.flatMap { Array($0.utf8) + Array("\n".utf8) }
  }

  private func json(_ record: RunRecord, _ style: JSONWriter.Style) -> [UInt8] {
    var writer = JSONWriter(style)
    record.write(to: &writer, labels: labels)
    guard console.isOutputTerminal else { return writer.bytes }
    return Array(String(decoding: writer.bytes, as: UTF8.self).escapedJSONForTerminal.utf8)
  }
}

extension RecordWriter: ResultSink, RecordEncoder {
  var recorded: RecordedItems { RecordedItems() }

  func write(_ record: RunRecord, key: String?, isFirst: Bool) {
    write(record, isFirst: isFirst)
  }
}

/// A record as CSV rows: `input,output,index,label,value`.
struct CSVRecord {
  private var table: CSVWriter

  /// The rows, in UTF-8.
  var bytes: [UInt8] { table.bytes }

  init(_ record: RunRecord, labels: LabelSelection, _ style: CSVWriter.CellStyle) {
    table = CSVWriter(style)
    switch record.result {
    case .failure(let error):
      table.append(row: [record.input, "error", "", error.code, error.message])
    case .success(let success):
      for row in success.taskResult?.tableRows ?? [] {
        table.append(row: [record.input, row.output, row.index, row.label, row.value])
      }
      for layer in success.output.layers {
        let image = success.images[layer.name]
        for (index, label, value) in Self.values(layer.value, labels, image) {
          table.append(row: [record.input, layer.name, index, label, value])
        }
      }
    }
  }

  private static func values(
    _ value: LayerValue, _ labels: LabelSelection, _ reference: ImageReference?
  ) -> [(index: String, label: String, value: String)] {
    switch value {
    case .classification(let classification):
      labels.entries(of: classification).map { ("\($0.index)", $0.label, number($0.score)) }
    case .numbers(let numbers):
      numbers.finiteElementTexts.enumerated().map { ("\($0)", "", $1) }
    case .image(let image):
      [("", "", reference?.filePath ?? "\(image.width)x\(image.height)")]
    case .strings(let strings):
      strings.elementTexts.enumerated().map { ("\($0)", "", $1) }
    case .bytes, .tokens, .audio, .list: [("", "", value.kindDescription)]
    }
  }

  private static func number(_ value: Float) -> String { value.isFinite ? "\(value)" : "" }
}

extension ImageReference {
  /// The path of the image file, or `nil` for an embedded image.
  var filePath: String? { if case .file(let path) = self { path } else { nil } }
}

/// A record as text.
struct TextRecord {
  /// The number of labels that are shown by default.
  static let defaultLabelCount = 5
  /// The maximum number of elements that are shown; longer arrays are summarized.
  static let maxNumbers = 16
  /// The length of the bar for a score of 1.
  static let barLength = 20

  let lines: [String]

  init(_ record: RunRecord, labels: LabelSelection) {
    switch record.result {
    case .failure(let error):
      lines = [record.input, "  failed: \(error.message)"].map(\.sanitizedForTerminal)
    case .success(let success):
      var labels = labels
      labels.top = labels.top ?? Self.defaultLabelCount
      lines =
        [record.input.sanitizedForTerminal].filter { !$0.isEmpty }
        + (success.taskResult?.textLines ?? [])
        .map(\.sanitizedForTerminal)
        + success.output.layers.flatMap { layer in
          Self.text(layer, labels, success.images[layer.name])
        }
        + (success.isEmpty ? ["  no outputs: the bundle is a placeholder"] : [])
        + success.notes.map { "  note: \($0)".sanitizedForTerminal }
        + [success.annotatedImagePath.map { "  annotated: \($0)".sanitizedForTerminal }]
        .compactMap(\.self)
        + [success.cutOutPath.map { "  cut out: \($0)".sanitizedForTerminal }]
        .compactMap(\.self)
        + [Self.timings(success.timings)]
    }
  }

  private static func text(
    _ layer: ModelOutput.Layer, _ labels: LabelSelection, _ reference: ImageReference?
  ) -> [String] {
    let name = layer.name.sanitizedForTerminal
    switch layer.value {
    case .classification(let classification):
      let entries = labels.entries(of: classification)
      return ["  \(name)"]
        + (entries.isEmpty ? ["    no label above the threshold"] : table(entries))
    case .numbers(let numbers): return ["  \(name): \(text(numbers))"]
    case .image(let image):
      let location = reference?.filePath ?? "use --save-images DIR to save it"
      return ["  \(name): image of \(image.width) × \(image.height), \(location)"]
    case .strings(let strings): return ["  \(name): \(strings)".sanitizedForTerminal]
    case .bytes, .tokens, .audio, .list:
      return ["  \(name): \(layer.value.kindDescription)"]
    }
  }

  private static func table(_ entries: [Classification.Entry]) -> [String] {
    let labels = entries.map(\.label.sanitizedForTerminal)
    let width = labels.map(\.displayWidth).max() ?? 0
    return zip(entries, labels).map { entry, label in
      let space = String(repeating: " ", count: width - label.displayWidth)
      let bar = bar(entry.score)
      return "    \(label)\(space)  \(entry.score.formatted(decimals: 4))"
        + (bar.isEmpty ? "" : "  \(bar)")
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
      + timings.laps.map { "\($0.name) \($0.duration.milliseconds.formatted(decimals: 3))" }
      .joined(separator: " · ") + " ms"
  }
}

extension RunRecord.Success {
  fileprivate var isEmpty: Bool { output.layers.isEmpty && taskResult == nil }
}
