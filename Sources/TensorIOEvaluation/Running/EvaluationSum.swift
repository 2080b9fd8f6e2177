internal import TensorIOCore
internal import TensorIOData

/// Sums items up, in whatever order they come.
struct EvaluationSum {
  private var judges: [any Judge]
  private var errors: [FailedItem] = []
  private var stages: [(name: String, record: LatencyRecord)] = Timings().stages
    .map { ($0.name, LatencyRecord()) }
  /// How many items there were, those that failed among them.
  private(set) var count = 0

  init(_ judges: [any Judge]) {
    self.judges = judges
  }

  mutating func add(_ item: EvaluatedItem, at place: ItemPlace) throws(ModelError) {
    count += 1
    switch item.outcome {
    case .failed(let error): errors.append(error)
    case .judged(let judgements, let runs):
      guard judgements.count == judges.count else { throw Judgement.unreadable(place) }
      for (index, judgement) in judgements.enumerated() {
        try judges[index].add(judgement, of: place)
      }
      for timings in runs {
        for (index, stage) in timings.stages.enumerated() {
          stages[index].record.add(stage.duration)
        }
      }
    }
  }

  /// All that there is to say; so many of the items were run in so long.
  func result(_ plan: EvaluationPlan, seconds: Duration, ran: Int) -> EvaluationResult {
    var result = EvaluationResult(model: JudgedModel(plan.bundle), data: plan.data.path)
    result.count = count - errors.count
    result.errors = errors
    for judge in judges { judge.report(into: &result) }
    result.figures = result.figures.firstOfEachName
    result.speed.stages = stages.compactMap { StageSpeed($0.name, $0.record) }
    result.speed.histogram = stages.last?.record.histogram ?? []
    result.speed.seconds = seconds.milliseconds / 1000
    if ran > 0, result.speed.seconds > 0 {
      result.speed.rate = Double(ran) / result.speed.seconds
    }
    return result
  }
}

extension JudgedModel {
  fileprivate init(_ bundle: ModelBundle) {
    self.init(
      path: bundle.path, name: bundle.description.name, id: bundle.description.id,
      version: bundle.description.version)
  }
}

extension [Figure] {
  /// What a bundle says of itself comes first, and wins.
  fileprivate var firstOfEachName: [Figure] {
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
        lower: low + Double($0) * width, upper: low + Double($0 + 1) * width, count: 0)
    }
    for duration in durations {
      let place = Int(min((duration.milliseconds - low) / width, Double(steps - 1)))
      bins[place].count += 1
    }
    return bins
  }
}
