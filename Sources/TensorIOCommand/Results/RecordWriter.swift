internal import TensorIOCore

/// Writes records as they come, in the format that the user wants.
struct RecordWriter {
  let format: OutputFormat
  let labels: LabelSelection
  /// Whether the records are many, even when there is one of them.
  let isArray: Bool
  let console: Console

  /// Writes what comes before the first record.
  func begin() {
    switch format {
    case .json where isArray: console.print("[")
    case .csv: console.print("input,output,index,label,value")
    case .json, .ndjson, .text: break
    }
  }

  /// Writes a record.
  func write(_ record: RunRecord, isFirst: Bool) {
    switch format {
    case .json where isArray:
      console.output(Array((isFirst ? "" : ",\n").utf8) + json(record, .compact))
    case .json: console.output(json(record, .indented) + Array("\n".utf8))
    case .ndjson: console.output(json(record, .compact) + Array("\n".utf8))
    case .csv: CSVRecord(record, labels: labels).lines.forEach(console.print)
    case .text: TextRecord(record, labels: labels, console: console).lines.forEach(console.print)
    }
  }

  /// Writes what comes after the last record.
  func end() {
    if format == .json, isArray { console.print("\n]") }
  }

  private func json(_ record: RunRecord, _ style: JSONWriter.Style) -> [UInt8] {
    var writer = JSONWriter(style)
    record.write(to: &writer, labels: labels)
    return writer.bytes
  }
}
