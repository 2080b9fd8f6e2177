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

extension EvaluationResult {
  /// Adds a confusion matrix of objects, and the costs of errors with the threshold that has the lowest.
  mutating func addConfusion(_ objects: ObjectConfusion, sweep: ThresholdSweep) {
    confusion = objects.result
    guard let costs = objects.costs else { return }
    add(costs, label: "", sweep: sweep)
  }

  /// Adds the costs of errors, and the threshold that has the lowest in place of another one.
  mutating func add(_ tally: CostTally, label: String, sweep: ThresholdSweep) {
    metrics += [tally.metric].compactMap(\.self)
    errorCosts = confusion?.errorCosts(tally.costs) ?? []
    guard let best = tally.best else { return }
    let point = sweep.point(at: best.threshold, label: label, cost: best.cost)
    if let index = operatingPoints.firstIndex(where: { $0.label == label }) {
      operatingPoints[index] = point
    } else {
      operatingPoints.insert(point, at: 0)
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
