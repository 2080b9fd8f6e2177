internal import TensorIOCore

/// Writes records as they come, in the format that the user wants.
struct RecordWriter {
  let format: OutputFormat
  let labels: LabelSelection
  /// Whether the records are many, even when there is one of them.
  let isArray: Bool
  let console: Console

  /// Writes what comes before the first record.
  func begin() { console.output(head) }

  /// Writes a record.
  func write(_ record: RunRecord, isFirst: Bool) {
    console.output(bytes(of: record, isFirst: isFirst))
  }

  /// Writes what comes after the last record.
  func end() {
    if format == .json, isArray { console.print("\n]") }
  }

  /// What comes before the first record.
  var head: [UInt8] {
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
