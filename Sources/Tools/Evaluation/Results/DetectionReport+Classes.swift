extension EvaluationResult {
  /// Adds F1, precision and recall over the score, and the best threshold, of each class and of all together.
  mutating func addOperatingPoints(
    of report: DetectionReport, label: (Int) -> String, sweep: (Int?) -> ThresholdSweep
  ) {
    operatingPoints = [sweep(nil).best(label: "")].compactMap(\.self)
    for category in report.categories {
      let sweep = sweep(category)
      curves += sweep.curves(label: label(category))
      operatingPoints += [sweep.best(label: label(category))].compactMap(\.self)
    }
  }
}

extension DetectionReport {
  /// Returns the results of the classes that have ground truth.
  func classResults(label: (Int) -> String) -> [ClassResult] {
    categories.compactMap(category).map { category in
      ClassResult(
        label: label(category.category), count: category.count,
        metrics: [
          .fraction("ap", category.averagePrecision),
          .fraction("ap50", category.averagePrecision50),
          .fraction("ar", category.averageRecall),
        ].compactMap(\.self))
    }
  }
}
