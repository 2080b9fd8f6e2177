extension ConfusionMatrix {
  /// Returns the metrics of the classes that occur.
  func classResults(label: (Int) -> String) -> [ClassResult] {
    perClass.filter { $0.support + $0.predictedCount > 0 }.map { metrics in
      let scores = metrics.scores
      return ClassResult(
        label: label(metrics.classIndex), count: metrics.support,
        metrics: [
          .fraction("precision", scores.precision), .fraction("recall", scores.recall),
          .fraction("f1", scores.f1),
        ].compactMap(\.self))
    }
  }

  /// Returns the matrix for a result.
  func result(label: (Int) -> String) -> ConfusionResult {
    let classes = classes
    let positions = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
    let cells =
      cells
      .map { cell, count in
        ConfusionResult.Cell(
          actual: positions[cell.actual] ?? 0, predicted: positions[cell.predicted] ?? 0,
          count: count)
      }
      .sorted { ($0.actual, $0.predicted) < ($1.actual, $1.predicted) }
    return ConfusionResult(labels: classes.map(label), cells: cells)
  }
}
