/// Writes figures in the text that Prometheus reads.
struct MetricsText {
  typealias Labels = [(name: String, value: String)]

  private(set) var bytes: [UInt8] = []

  /// Writes what a figure is, before its values.
  mutating func begin(_ name: String, _ type: String, _ help: String) {
    line("# HELP \(name) \(help)")
    line("# TYPE \(name) \(type)")
  }

  /// Writes one value of a figure.
  mutating func value(
    _ name: String, _ labels: Labels, _ value: some CustomStringConvertible
  ) {
    line("\(name)\(Self.text(labels)) \(value)")
  }

  /// Writes a figure that has one value.
  mutating func gauge(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
    begin(name, "gauge", help)
    self.value(name, [], value)
  }

  /// Writes all values of a histogram.
  mutating func histogram(_ name: String, _ labels: Labels, _ histogram: Histogram) {
    for (limit, count) in histogram.cumulative {
      value("\(name)_bucket", labels + [("le", "\(limit)")], count)
    }
    value("\(name)_bucket", labels + [("le", "+Inf")], histogram.count)
    value("\(name)_sum", labels, histogram.sum)
    value("\(name)_count", labels, histogram.count)
  }

  private mutating func line(_ text: String) { bytes += Array("\(text)\n".utf8) }

  private static func text(_ labels: Labels) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += #"\\"#
      case "\"": text += #"\""#
      case "\n": text += #"\n"#
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
