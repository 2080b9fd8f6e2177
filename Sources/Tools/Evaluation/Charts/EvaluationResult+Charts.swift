import TensorIOCore
package import TensorIODrawing

extension EvaluationResult {
  /// The charts of the result: confusion matrix, precision and recall, ROC, calibration and latency,
  /// if there are values for them.
  ///
  /// ```swift
  /// import TensorIO
  /// import TensorIOEvaluation
  ///
  /// let bundle = try ModelBundle(at: "digits.tiobundle")
  /// let plan = try EvaluationPlan(bundle, dataAt: "held-out")
  /// let evaluation = try Evaluation(plan) { _ throws(ModelError) in try Model(bundle) }
  /// let result = try evaluation.run()
  /// for (index, chart) in result.charts.enumerated() {
  ///   try chart.image().write(to: "chart-\(index).png")
  /// }
  /// ```
  package var charts: [Chart] {
    [
      confusion?.chart, Chart(.precisionRecall, of: curves), Chart(.roc, of: curves),
      Chart(.falseAccepts, of: curves), Chart(.f1, of: curves), Chart(.precision, of: curves),
      Chart(.recall, of: curves),
      Chart(calibration),
    ].compactMap(\.self) + Chart.errors(of: items.outcomes)
      + [Chart(latencyOf: performance)].compactMap(\.self)
  }
}

// MARK: Confusion matrices

extension ConfusionResult {
  /// The maximum number of classes in a chart; of more, the most confused are shown.
  private static let maxChartClasses = 40

  /// The matrix with actual classes in rows and predicted classes in columns; `nil` if it is empty.
  var chart: Chart? {
    guard !labels.isEmpty else { return nil }
    let confusion = mostConfused(Self.maxChartClasses)
    let count = confusion.labels.count
    let mistakes = confusion.mistakes(3)
    return Chart(
      "Confusion", .matrix(confusion.matrix),
      summary: mistakes.isEmpty ? "No misclassifications" : confusion.mistakes(5),
      caption: "Opacity shows the fraction of the actual class. "
        + "Misclassifications have a separate color."
        + (mistakes.isEmpty ? "" : " Most frequent: \(mistakes).")
        + (count < labels.count
          ? " Showing the \(count) most confused of \(labels.count) classes." : ""))
  }

  private var matrix: Chart.Matrix {
    let totals: [Int: Double] = cells.reduce(into: [:]) {
      $0[$1.actual, default: 0] += Double($1.count)
    }
    let names = labels.map(\.displayText)
    return Chart.Matrix(
      labels: names, rowName: "actual", columnName: "predicted",
      cells: cells.compactMap { cell in
        guard names.indices.contains(cell.actual), names.indices.contains(cell.predicted),
          cell.count > 0
        else { return nil }
        return .init(
          row: cell.actual, column: cell.predicted, count: cell.count,
          intensity: Double(cell.count) / max(1, totals[cell.actual] ?? 1),
          label: "\(names[cell.actual]) predicted as \(names[cell.predicted]): \(cell.count)")
      })
  }

  /// Returns the most frequent misclassifications as text.
  private func mistakes(_ limit: Int) -> String {
    mostFrequentMisclassifications(limit).map {
      "\($0.actual.displayText) predicted as \($0.predicted.displayText): \($0.count)"
    }.joined(separator: "; ")
  }
}

// MARK: Curves

extension Chart {
  /// The maximum number of curves; of more, those with the smallest areas are drawn.
  private static let maxCurves = 10

  /// Creates a chart of the curves of a kind; `nil` if there are none.
  init?(_ kind: ResultCurve.Kind, of curves: [ResultCurve]) {
    let all = curves.filter { $0.kind == kind }
    guard !all.isEmpty else { return nil }
    let shown = all.count > Self.maxCurves ? all.smallestAreas(Self.maxCurves) : all
    self.init(
      kind.title,
      .plot(
        Plot(
          horizontal: kind.horizontalAxis, vertical: kind.verticalAxis,
          marks: kind.references + shown.enumerated().map { .line($1.series(colorIndex: $0)) })),
      summary: shown.map { "\($0.name.displayText) \($0.areaText)" }.joined(separator: ", "),
      caption: all.count > shown.count
        ? "Showing the \(shown.count) smallest areas of \(all.count)." : nil)
  }
}

extension ResultCurve.Kind {
  fileprivate var title: String {
    switch self {
    case .roc: "ROC curve"
    case .precisionRecall: "Precision and recall"
    case .f1: "F1 and score"
    case .precision: "Precision and score"
    case .recall: "Recall and score"
    case .falseAccepts: "Recall and false accepts"
    }
  }

  fileprivate var horizontalAxis: Chart.Axis {
    switch self {
    case .roc: .percent("false positive rate")
    case .precisionRecall: .percent("recall")
    case .f1, .precision, .recall: Chart.Axis("score")
    case .falseAccepts: Chart.Axis("false accepts per hour")
    }
  }

  fileprivate var verticalAxis: Chart.Axis {
    switch self {
    case .roc: .percent("true positive rate")
    case .precisionRecall, .precision: .percent("precision")
    case .f1: .percent("F1")
    case .recall, .falseAccepts: .percent("recall")
    }
  }

  /// The ROC curve of a random guess.
  fileprivate var references: [Chart.Mark] {
    self == .roc ? [.reference(from: .init(0, 0), to: .init(1, 1))] : []
  }
}

extension ResultCurve {
  fileprivate var name: String { label.isEmpty ? "all" : label }

  fileprivate var areaText: String {
    area.map { $0.isFinite ? $0.formatted(decimals: 4) : Double.notANumberText } ?? ""
  }

  fileprivate func series(colorIndex: Int) -> Chart.Series {
    Chart.Series(
      name.displayText, detail: areaText, points: points.map { .init($0.x, $0.y) },
      colorIndex: colorIndex)
  }
}

extension [ResultCurve] {
  fileprivate func smallestAreas(_ count: Int) -> [ResultCurve] {
    let areas = map { $0.area.flatMap { $0.isNaN ? nil : $0 } ?? .infinity }
    return indices.sorted { (areas[$0], $0) < (areas[$1], $1) }.prefix(count).map { self[$0] }
  }
}

// MARK: Errors of numbers

extension Chart {
  /// The maximum number of dots.
  private static let maxDots = 1000

  /// Returns predictions over correct numbers, and errors over predictions; none unless the items are single numbers.
  static func errors(of outcomes: [ItemOutcome]) -> [Chart] {
    let pairs = outcomes.compactMap { outcome in
      Double(outcome.truth).flatMap { truth in
        Double(outcome.prediction).map { (name: outcome.name, truth: truth, prediction: $0) }
      }
    }.filter { $0.truth.isFinite && $0.prediction.isFinite }
    guard !pairs.isEmpty, outcomes.allSatisfy({ $0.isCorrect == nil }),
      pairs.count == outcomes.count
    else { return [] }
    let shown =
      pairs.count <= maxDots
      ? pairs : (0..<maxDots).map { pairs[$0 * (pairs.count - 1) / (maxDots - 1)] }
    func dots(_ point: ((name: String, truth: Double, prediction: Double)) -> Point) -> [Mark] {
      shown.map { pair in
        .dot(
          Dot(
            point(pair),
            label: "\(pair.name.displayText): \(pair.prediction.compactText), correct "
              + pair.truth.compactText))
      }
    }
    let truths = pairs.map(\.truth)
    let (low, high) = (truths.min() ?? 0, truths.max() ?? 0)
    let predictions = pairs.map(\.prediction)
    let caption =
      shown.count < pairs.count ? "Showing \(shown.count) of \(pairs.count) items." : nil
    return [
      Chart(
        "Predictions",
        .plot(
          Plot(
            horizontal: Axis("correct"), vertical: Axis("predicted"),
            marks: [.reference(from: .init(low, low), to: .init(high, high))]
              + dots { .init($0.truth, $0.prediction) })),
        summary: "\(pairs.count) predictions over correct numbers", caption: caption),
      Chart(
        "Residuals",
        .plot(
          Plot(
            horizontal: Axis("predicted"), vertical: Axis("error"),
            marks: [
              .reference(
                from: .init(predictions.min() ?? 0, 0), to: .init(predictions.max() ?? 0, 0))
            ] + dots { .init($0.prediction, $0.prediction - $0.truth) })),
        summary: "\(pairs.count) errors over predictions", caption: caption),
    ]
  }
}

// MARK: Calibration

extension Chart {
  /// Creates a reliability diagram, accuracy over confidence; `nil` if all bins are empty.
  init?(_ bins: [CalibrationBin]) {
    let bins = bins.filter { $0.count > 0 && $0.confidence.isFinite && $0.accuracy.isFinite }
    guard !bins.isEmpty else { return nil }
    let total = bins.reduce(0) { $0 + Double($1.count) }
    let deviations = bins.map { bin in
      Mark.deviation(
        from: .init(bin.confidence, bin.confidence), to: .init(bin.confidence, bin.accuracy))
    }
    let dots = bins.map { bin in
      Mark.dot(
        Dot(
          .init(bin.confidence, bin.accuracy), size: Double(bin.count) / total, label: bin.summary))
    }
    self.init(
      "Calibration",
      .plot(
        Plot(
          horizontal: .percent("confidence"), vertical: .percent("accuracy"),
          marks: [.reference(from: .init(0, 0), to: .init(1, 1))] + deviations + dots)),
      summary: bins.map(\.summary).joined(separator: "; "),
      caption:
        "Dot size shows the fraction of predictions. Calibrated predictions are on the line.")
  }
}

extension CalibrationBin {
  fileprivate var summary: String {
    let confidence = (confidence * 100).formatted(decimals: 1)
    let accuracy = (accuracy * 100).formatted(decimals: 1)
    return "\(count) predictions: confidence \(confidence) %, accuracy \(accuracy) %"
  }
}

// MARK: Latency

extension Chart {
  /// Creates a histogram of latencies with percentiles; `nil` if there are no valid bins.
  init?(latencyOf performance: PerformanceResult) {
    let bins = performance.histogram.filter {
      $0.lowerMilliseconds.isFinite && $0.upperMilliseconds.isFinite
        && $0.upperMilliseconds > $0.lowerMilliseconds && $0.count >= 0
    }
    guard !bins.isEmpty else { return nil }
    let maxCount = bins.reduce(1) { max($0, Double($1.count)) }
    let percentiles = performance.stageLatencies.last?.percentiles ?? []
    self.init(
      "Latency",
      .plot(
        Plot(
          horizontal: Axis("milliseconds"),
          vertical: Axis("runs", scale: .integers, range: .fixed(0...maxCount)),
          marks: bins.map { .bar($0.bar) }
            + percentiles.map { name, value in
              .marker(at: value, label: "\(name) \(value.formatted(decimals: 2))")
            })),
      summary: percentiles.map { "\($0): \($1.formatted(decimals: 3)) ms" }
        .joined(separator: ", "),
      caption: "The last bar includes all slower runs.")
  }
}

extension HistogramBin {
  fileprivate var bar: Chart.Bar {
    let lower = lowerMilliseconds.formatted(decimals: 3)
    let upper = upperMilliseconds.formatted(decimals: 3)
    return Chart.Bar(
      lowerMilliseconds...upperMilliseconds, height: Double(count),
      label: "\(lower) to \(upper) ms: \(count)")
  }
}

extension StageLatency {
  /// The finite percentiles.
  fileprivate var percentiles: [(name: String, value: Double)] {
    [("p50", p50), ("p90", p90), ("p99", p99)].filter { $1.isFinite }
  }
}
