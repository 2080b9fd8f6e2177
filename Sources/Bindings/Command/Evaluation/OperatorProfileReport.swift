import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOJSON
import TensorIOSystem

/// Prints the operators of a model with their times, as text or JSON.
struct OperatorProfileReport {
  let modelName: String
  let input: BenchmarkInput
  let profile: OperatorProfile

  /// Writes the report.
  func write(isJSON: Bool, _ console: Console) {
    guard isJSON else { return console.printText(lines(width: console.outputColumns)) }
    console.writeJSONObject { writer in
      writer.member("runs", profile.runCount)
      writer.member("operators_us", profile.duration.microseconds)
      writer.key("operators")
      write(profile.operators, to: &writer)
      writer.key("kinds")
      write(profile.kinds, to: &writer)
    }
  }

  private func lines(width: Int?) -> [String] {
    guard !profile.operators.isEmpty else { return ["\(modelName): no operators were recorded"] }
    let kinds = profile.kinds.map { Self.cells($0, $0.count) }
    let operators = profile.operators.map { Self.cells($0, $0.index) }
    let time = (profile.duration.microseconds / 1000).formatted(decimals: 3)
    return [
      "\(modelName) on \(input.summary)",
      "\(time) ms in \(profile.operators.count) operators, mean of \(profile.runCount) runs; "
        + "recording makes runs slower",
      "",
    ]
      + Self.table(["kind", "count"], kinds).lines(width: width) + [""]
      + Self.table(["operator", "index"], operators).lines(width: width)
  }

  private static func table(_ titles: [String], _ rows: [[String]]) -> TextTable {
    TextTable(titles + ["µs", "share"], rows, leadingTextColumns: 1)
  }

  private static func cells(_ row: OperatorProfile.Row, _ number: Int?) -> [String] {
    [
      row.name, number.map(String.init) ?? "", row.duration.microseconds.formatted(decimals: 1),
      "\((row.share * 100).formatted(decimals: 1)) %",
    ]
  }

  private func write(_ rows: [OperatorProfile.Row], to writer: inout JSONWriter) {
    writer.array { writer in
      for row in rows {
        writer.object { writer in
          writer.member("name", row.name)
          if let index = row.index {
            writer.member("index", index)
          } else {
            writer.member("count", row.count)
          }
          writer.member("us", row.duration.microseconds.roundedToThousandths)
          writer.member("share", row.share)
        }
      }
    }
  }
}

extension OperatorProfile {
  /// The operators of the last run in the format of Chrome's trace viewer and Perfetto.
  var chromeTrace: [UInt8] {
    let first = lastRun.map(\.start).min() ?? .zero
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("displayTimeUnit", "ns")
      writer.key("traceEvents")
      writer.array { writer in
        for event in lastRun {
          writer.object { writer in
            writer.member("name", event.name)
            writer.member("cat", "operator")
            writer.member("ph", "X")
            writer.member("ts", (event.start - first).microseconds)
            writer.member("dur", event.duration.microseconds)
            writer.member("pid", 1)
            writer.member("tid", 1)
            writer.key("args")
            writer.object { writer in writer.member("index", event.index) }
          }
        }
      }
    }
    return writer.bytes
  }
}

extension Duration {
  /// The duration in microseconds.
  fileprivate var microseconds: Double { milliseconds * 1000 }
}
