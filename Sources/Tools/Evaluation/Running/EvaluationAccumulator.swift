import TensorIOBundle
import TensorIOCore

/// Accumulates evaluated items into a result.
struct EvaluationAccumulator {
  private var evaluators: [any Evaluator]
  private var failedItems: [FailedItem] = []
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
    let names = Set(result.metrics.map(\.name))
    result.undefinedMetrics.removeAll { names.contains($0.name) }
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
