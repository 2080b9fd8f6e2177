import TensorIOBundle
import TensorIOCore

/// Accumulates evaluated items into a result.
struct EvaluationAccumulator {
  private var evaluators: [any Evaluator]
  private var failedItems: [FailedItem] = []
  private var outcomes: [ItemOutcome] = []
  private var stages: [(name: String, record: LatencyRecord)] = Timings().stages
    .map { ($0.name, LatencyRecord()) }
  /// The number of items, including those that failed.
  private(set) var count = 0

  init(_ evaluators: [any Evaluator]) {
    self.evaluators = evaluators
  }

  mutating func add(_ item: EvaluatedItem, at reference: ItemReference) throws(ModelError) {
    count += 1
    switch item.outcome {
    case .failed(let failedItem): failedItems.append(failedItem)
    case .scored(let scores, let runs):
      guard scores.count == evaluators.count else { throw ItemScore.malformed(reference) }
      for (index, score) in scores.enumerated() {
        try evaluators[index].add(score, of: reference)
      }
      outcomes.append(ItemOutcome(reference, evaluators.summary(of: scores)))
      for timings in runs {
        for (index, stage) in timings.stages.enumerated() {
          stages[index].record.add(stage.duration)
        }
      }
    }
  }

  /// Returns the result.
  ///
  /// - Parameters:
  ///   - plan: The plan of the evaluation.
  ///   - elapsed: The duration of this evaluation.
  ///   - runCount: The number of items that ran during `elapsed`.
  /// - Returns: The result of all items that were added.
  func result(_ plan: EvaluationPlan, elapsed: Duration, runCount: Int) -> EvaluationResult {
    var result = EvaluationResult(model: EvaluatedModel(plan.bundle), data: plan.data.path)
    result.count = count - failedItems.count
    result.failedItems = failedItems
    for evaluator in evaluators { evaluator.writeReport(into: &result) }
    result.metrics = result.metrics.uniqueByName
    result.addUndefinedMetrics(among: plan.qualityMetricNames)
    result.items = ItemTable(outcomes, metrics: evaluators.flatMap { $0.itemMetrics() })
    result.items.resample()
    result.addIntervals()
    result.performance.stageLatencies = stages.compactMap { StageLatency($0.name, $0.record) }
    result.performance.histogram = stages.last?.record.histogram ?? []
    result.performance.totalSeconds = elapsed.milliseconds / 1000
    if runCount > 0, result.performance.totalSeconds > 0 {
      result.performance.throughput = Double(runCount) / result.performance.totalSeconds
    }
    return result
  }
}

extension EvaluatedModel {
  fileprivate init(_ bundle: ModelBundle) {
    self.init(
      path: bundle.path, name: bundle.description.name, id: bundle.description.id,
      version: bundle.description.version)
  }
}

extension ItemOutcome {
  fileprivate init(_ item: ItemReference, _ summary: ItemSummary?) {
    self.init(
      name: item.name, truth: summary?.groundTruth.text ?? "",
      prediction: summary?.prediction?.text ?? "", isCorrect: summary?.isCorrect,
      confidence: summary?.confidence, loss: summary?.loss, attributes: item.attributes,
      imagePath: item.imagePath)
  }
}

extension EvaluationResult {
  /// Adds the metrics that the plan announces and that have no value, with the reason.
  fileprivate mutating func addUndefinedMetrics(among names: [String]) {
    let defined = Set(metrics.map(\.name))
    undefinedMetrics.removeAll { defined.contains($0.name) }
    let explained = defined.union(undefinedMetrics.map(\.name))
    let reason = count == 0 ? "no item was evaluated" : "the data has nothing that it measures"
    undefinedMetrics += names.filter { !explained.contains($0) }
      .map { UndefinedMetric(name: $0, reason: reason) }
  }

  /// Adds the intervals of the metrics and of those of the classes, or the reason why one has none.
  fileprivate mutating func addIntervals() {
    let known = Dictionary(items.values.map { ($0.name, $0) }) { first, _ in first }
    for index in metrics.indices where metrics[index].value != nil {
      metrics[index].interval = known[metrics[index].name]?.interval
      guard metrics[index].interval == nil else { continue }
      let name = metrics[index].name
      metricsWithoutInterval.append(
        UndefinedMetric(name: name, reason: items.reasonAgainstInterval(of: name)))
    }
    for index in classes.indices {
      for position in classes[index].metrics.indices {
        let name = "\(classes[index].metrics[position].name)[\(classes[index].label)]"
        classes[index].metrics[position].interval = known[name]?.interval
      }
    }
  }
}

extension [MetricValue] {
  /// The first metric of each name; the outputs of the bundle's `eval` mode come first.
  fileprivate var uniqueByName: [MetricValue] {
    var names: Set<String> = []
    return filter { names.insert($0.name).inserted }
  }
}

extension LatencyRecord {
  /// A histogram of 20 bins from the minimum to the 99th percentile; the last bin includes the
  /// rest.
  var histogram: [HistogramBin] {
    let binCount = 20
    guard let low = percentile(0)?.milliseconds, let high = percentile(99)?.milliseconds,
      high > low
    else { return [] }
    let width = (high - low) / Double(binCount)
    var bins = (0..<binCount).map {
      HistogramBin(
        lowerMilliseconds: low + Double($0) * width,
        upperMilliseconds: low + Double($0 + 1) * width, count: 0)
    }
    for duration in durations {
      let index = Int(min((duration.milliseconds - low) / width, Double(binCount - 1)))
      bins[index].count += 1
    }
    return bins
  }
}
