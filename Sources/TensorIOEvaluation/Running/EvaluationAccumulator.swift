import TensorIOBundle
import TensorIOCore

/// Sums items up, in whatever order they come.
struct EvaluationAccumulator {
  private var evaluators: [any Evaluator]
  private var errors: [FailedItem] = []
  private var stages: [(name: String, record: LatencyRecord)] = Timings().stages
    .map { ($0.name, LatencyRecord()) }
  /// How many items there were, those that failed among them.
  private(set) var count = 0

  init(_ judges: [any Evaluator]) {
    self.evaluators = judges
  }

  mutating func add(_ item: EvaluatedItem, at place: ItemReference) throws(ModelError) {
    count += 1
    switch item.outcome {
    case .failed(let error): errors.append(error)
    case .scored(let judgements, let runs):
      guard judgements.count == evaluators.count else { throw ItemScore.malformed(place) }
      for (index, judgement) in judgements.enumerated() {
        try evaluators[index].add(judgement, of: place)
      }
      for timings in runs {
        for (index, stage) in timings.stages.enumerated() {
          stages[index].record.add(stage.duration)
        }
      }
    }
  }

  /// All that there is to say; so many of the items were run in so long.
  func result(_ plan: EvaluationPlan, elapsed: Duration, runCount: Int) -> EvaluationResult {
    var result = EvaluationResult(model: EvaluatedModel(plan.bundle), data: plan.data.path)
    result.count = count - errors.count
    result.failedItems = errors
    for judge in evaluators { judge.writeReport(into: &result) }
    result.metrics = result.metrics.uniqueByName
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
  /// What a bundle says of itself comes first, and wins.
  fileprivate var uniqueByName: [MetricValue] {
    var names: Set<String> = []
    return filter { names.insert($0.name).inserted }
  }
}

extension LatencyRecord {
  /// How many runs took about as long, in twenty steps from the shortest to where 99 % end.
  var histogram: [HistogramBin] {
    let steps = 20
    guard let low = percentile(0)?.milliseconds, let high = percentile(99)?.milliseconds,
      high > low
    else { return [] }
    let width = (high - low) / Double(steps)
    var bins = (0..<steps).map {
      HistogramBin(
        lowerMilliseconds: low + Double($0) * width, upperMilliseconds: low + Double($0 + 1) * width, count: 0)
    }
    for duration in durations {
      let place = Int(min((duration.milliseconds - low) / width, Double(steps - 1)))
      bins[place].count += 1
    }
    return bins
  }
}
