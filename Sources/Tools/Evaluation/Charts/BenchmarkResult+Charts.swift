package import TensorIODrawing

extension [BenchmarkResult] {
  /// Returns a chart of the throughput over the first parameter that varies, with a line for each
  /// combination of the others.
  package func throughputChart(title: String) -> Chart {
    let varying = Parameter.all.filter { parameter in
      Set(map { parameter.value($0.configuration) }).count > 1
    }
    let horizontal = varying.first ?? Parameter.all[0]
    let others = varying.dropFirst()
    var names: [String] = []
    var points: [String: [Chart.Point]] = [:]
    for result in self {
      let name = others.map { "\($0.name) \($0.value(result.configuration))" }
        .joined(separator: ", ")
      if points[name] == nil { names.append(name) }
      points[name, default: []].append(
        .init(Double(horizontal.value(result.configuration)), result.throughput))
    }
    let series = names.enumerated().map { index, name in
      Chart.Series(
        name, points: (points[name] ?? []).sorted { $0.x < $1.x }, colorIndex: index,
        style: .lineWithDots)
    }
    return Chart(
      title,
      .plot(
        Chart.Plot(
          horizontal: Chart.Axis(horizontal.name, scale: .integers),
          vertical: Chart.Axis("items per second", range: .valuesAndZero),
          marks: series.map { .line($0) })))
  }
}

/// A parameter of the configurations of a benchmark.
private struct Parameter {
  let name: String
  let value: @Sendable (BenchmarkConfiguration) -> Int

  static let all = [
    Parameter(name: "threads") { $0.threads }, Parameter(name: "batch") { $0.batchSize },
    Parameter(name: "callers") { $0.concurrency },
  ]
}
