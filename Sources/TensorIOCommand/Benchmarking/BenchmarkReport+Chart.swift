internal import TensorIODrawing
internal import TensorIOEvaluation

extension BenchmarkReport {
  /// What a configuration counts.
  private struct Axis {
    let name: String
    let count: @Sendable (BenchmarkSetting) -> Int
  }

  private static let axes = [
    Axis(name: "threads") { $0.threads }, Axis(name: "batch") { $0.batch },
    Axis(name: "callers") { $0.concurrency },
  ]

  /// The rate over the first count that varies, a line for each combination of the others.
  var chart: LineChart {
    let varying = Self.axes.filter { axis in Set(results.map { axis.count($0.setting) }).count > 1 }
    let across = varying.first ?? Self.axes[0]
    let others = varying.dropFirst()
    var names: [String] = []
    var points: [String: [Canvas.Point]] = [:]
    for result in results {
      let name = others.map { "\($0.name) \($0.count(result.setting))" }.joined(separator: ", ")
      if points[name] == nil { names.append(name) }
      let point = Canvas.Point(x: Double(across.count(result.setting)), y: result.rate)
      points[name, default: []].append(point)
    }
    let series = names.enumerated().map { index, name in
      LineChart.Series(
        name: name, points: (points[name] ?? []).sorted { $0.x < $1.x }, color: .forClass(index))
    }
    var chart = LineChart(title: self.name, x: across.name, y: "items a second", series: series)
    chart.beginsAtZero = true
    return chart
  }
}
