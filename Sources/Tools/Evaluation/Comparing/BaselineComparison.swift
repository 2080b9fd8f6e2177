package import TensorIOBundle
import TensorIOCore

/// What changed from one model to another on the same items, according to the ground truth.
package struct BaselineComparison: Sendable, Hashable {
  /// The change of a metric.
  package struct Change: Sendable, Hashable {
    /// What a change is.
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
      /// Better by more than chance.
      case better
      /// Worse by more than chance.
      case worse
      /// As large as chance makes it.
      case tie
      /// Not tested: the metric has no direction, or the values of its items are unknown.
      case untested
    }

    /// The name of the metric.
    package var name: String
    /// The value of the baseline.
    package var baseline: Double
    /// The value of the model.
    package var value: Double
    /// The interval of the difference; `nil` if it is unknown.
    package var interval: ConfidenceInterval?
    /// The probability of such a difference without a cause; `nil` if it was not tested.
    package var probability: Double?
    /// What the change is.
    package var verdict: Verdict

    /// Creates a change.
    package init(
      name: String, baseline: Double, value: Double, interval: ConfidenceInterval? = nil,
      probability: Double? = nil, verdict: Verdict = .untested
    ) {
      (self.name, self.baseline, self.value) = (name, baseline, value)
      (self.interval, self.probability, self.verdict) = (interval, probability, verdict)
    }

    /// The difference of the values.
    package var difference: Double { value - baseline }
  }

  /// An item for which one model is right and the other one is wrong.
  package struct Flip: Sendable, Hashable {
    /// The name of the item.
    package var name: String
    /// The ground truth.
    package var truth: String
    /// The prediction of the baseline.
    package var baseline: String
    /// The prediction of the model.
    package var prediction: String
    /// The path of the image, if the item has one.
    package var imagePath: String?

    /// Creates a flip.
    package init(
      name: String, truth: String, baseline: String, prediction: String, imagePath: String? = nil
    ) {
      (self.name, self.truth, self.baseline) = (name, truth, baseline)
      (self.prediction, self.imagePath) = (prediction, imagePath)
    }
  }

  /// The name of the baseline in reports.
  package var name: String
  /// The number of items that both models have.
  package var count = 0
  /// Whether both models have the same items; those that one could not process count.
  package var hasSameItems = true
  /// The changes of the metrics that both models have.
  package var changes: [Change] = []
  /// The items that only the baseline gets right; `nil` if the items are not right or wrong, or unknown.
  package var regressions: [Flip]?
  /// The items that only the model gets right.
  package var fixes: [Flip] = []
  /// The slices that got worse by more than chance.
  package var slices = SliceFindings()

  /// Creates a comparison without items.
  package init(name: String) { self.name = name }

  /// The numbers of items of a class that changed.
  package struct ClassFlips: Sendable, Hashable {
    /// The class.
    package var label: String
    /// The number of items that only the baseline gets right.
    package var regressions: Int
    /// The number of items that only the model gets right.
    package var fixes: Int
  }

  /// The changes by class, those with the most regressions first.
  package var classes: [ClassFlips] {
    var classes: [String: ClassFlips] = [:]
    for flip in regressions ?? [] {
      classes[flip.truth, default: ClassFlips(label: flip.truth, regressions: 0, fixes: 0)]
        .regressions += 1
    }
    for flip in fixes {
      classes[flip.truth, default: ClassFlips(label: flip.truth, regressions: 0, fixes: 0)]
        .fixes += 1
    }
    return classes.values.sorted {
      ($1.regressions - $1.fixes, $0.label) < ($0.regressions - $0.fixes, $1.label)
    }
  }
}

extension BaselineComparison {
  /// The numbers that gates can name.
  var metrics: [MetricValue] {
    guard let regressions else { return [] }
    return [
      MetricValue("regressions", Double(regressions.count), direction: .lower),
      MetricValue("fixes", Double(fixes.count), direction: .higher),
      MetricValue(Self.sliceRegressionsName, Double(slices.findings.count), direction: .lower),
    ]
  }

  /// The names of ``metrics``.
  package static let metricNames = ["regressions", "fixes", sliceRegressionsName]

  static let sliceRegressionsName = "slice_regressions"

  /// Compares the results of two models.
  ///
  /// - Throws: `ModelError` with reason `otherItems` if the results have no item in common.
  package init(
    _ result: EvaluationResult, baseline: EvaluationResult, name: String
  ) throws(ModelError) {
    self.init(name: name)
    let (items, others) = (result.items, baseline.items)
    let failed = Dictionary(
      result.failedItems.map { ($0.name, $0.message) }, uniquingKeysWith: { first, _ in first })
    let names = Set(items.outcomes.map(\.name)).union(failed.keys)
    let otherNames = Set(others.outcomes.map(\.name)).union(baseline.failedItems.map(\.name))
    let hasItems = !items.outcomes.isEmpty && !others.outcomes.isEmpty
    hasSameItems = !hasItems || names == otherNames
    let positions = Dictionary(
      others.outcomes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let pairs = items.outcomes.indices.compactMap { index in
      positions[items.outcomes[index].name].map { (index, $0) }
    }
    guard !hasItems || !pairs.isEmpty else { throw ModelError(.input, .otherItems(name)) }
    count = pairs.count
    addFlips(pairs, items.outcomes, others.outcomes)
    // An item that can no longer be processed is a regression.
    for outcome in others.outcomes where outcome.isCorrect == true {
      guard let message = failed[outcome.name] else { continue }
      regressions?.append(
        Flip(
          name: outcome.name, truth: outcome.truth, baseline: outcome.prediction,
          prediction: "failed: \(message)", imagePath: outcome.imagePath))
    }
    addChanges(pairs, result, baseline)
    findSlices(pairs, result, others.outcomes)
  }

  private mutating func addFlips(
    _ pairs: [(Int, Int)], _ outcomes: [ItemOutcome], _ others: [ItemOutcome]
  ) {
    guard !pairs.isEmpty,
      pairs.allSatisfy({ outcomes[$0].isCorrect != nil && others[$1].isCorrect != nil })
    else { return }
    regressions = []
    for (index, other) in pairs where outcomes[index].isCorrect != others[other].isCorrect {
      let outcome = outcomes[index]
      let flip = Flip(
        name: outcome.name, truth: outcome.truth, baseline: others[other].prediction,
        prediction: outcome.prediction, imagePath: outcome.imagePath)
      if outcome.isCorrect == true { fixes.append(flip) } else { regressions?.append(flip) }
    }
  }

  private mutating func addChanges(
    _ pairs: [(Int, Int)], _ result: EvaluationResult, _ baseline: EvaluationResult
  ) {
    let isWhole =
      hasSameItems && pairs.count == result.items.outcomes.count
      && pairs.count == baseline.items.outcomes.count
    let differences = isWhole ? differences(pairs, result, baseline) : [:]
    let flips = (result.items.outcomes.isEmpty ? nil : regressions.map { ($0.count, fixes.count) })
    for metric in result.metrics + result.performance.metrics {
      guard let value = metric.value,
        let other = baseline.comparableMetrics[metric.name]?.value
      else { continue }
      var change = Change(name: metric.name, baseline: other, value: value)
      let resampled = differences[metric.name]
      change.interval = resampled.flatMap(ConfidenceInterval.init(resampled:))
      if isWhole {
        change.probability = resampled.flatMap(SignificanceTest.resampled)
        if let flips, MetricNames.correctness.contains(metric.name) {
          change.probability = SignificanceTest.mcNemar(flips.0, flips.1)
        }
      }
      change.verdict = change.verdict(metric.direction)
      changes.append(change)
    }
  }

  /// Returns the differences of the metrics in all resamples.
  private func differences(
    _ pairs: [(Int, Int)], _ result: EvaluationResult, _ baseline: EvaluationResult
  ) -> [String: [Double]] {
    var (items, others) = (result.items, baseline.items)
    if others.metrics.isEmpty { others.metrics = baseline.restoredMetrics }
    guard !items.metrics.isEmpty, !others.metrics.isEmpty else { return [:] }
    let isOrdered = pairs.allSatisfy { $0 == $1 }
    if !isOrdered { others = others.selecting(pairs.map(\.1)) }
    if others.distributions.isEmpty { others.resample() }
    if items.distributions.isEmpty { items.resample() }
    return items.distributions.reduce(into: [:]) { differences, entry in
      guard let other = others.distributions[entry.key] else { return }
      differences[entry.key] = zip(entry.value, other).map { $0 - $1 }
    }
  }

  private mutating func findSlices(
    _ pairs: [(Int, Int)], _ result: EvaluationResult, _ others: [ItemOutcome]
  ) {
    guard regressions != nil else { return }
    let outcomes = pairs.map { result.items.outcomes[$0.0] }
    let changes = pairs.map { index, other in
      (result.items.outcomes[index].isCorrect == true ? 1 : 0)
        - (others[other].isCorrect == true ? 1 : 0)
    }
    let search = SliceSearch(outcomes)
    let found = search.findings { items, all in
      let (worse, better) = (items.count { changes[$0] < 0 }, items.count { changes[$0] > 0 })
      guard let all else {
        return SliceSearch.Comparison(
          value: Double(worse), reference: Double(better), isWorse: worse > better,
          probability: SignificanceTest.mcNemar(worse, better))
      }
      // Whether the slice got worse more than the rest of a larger one that got worse.
      let total = all.count { changes[$0] < 0 }
      return SliceSearch.Comparison(
        value: Double(worse), reference: Double(better),
        isWorse: worse * all.count > total * items.count,
        probability: SignificanceTest.fisher(
          (worse, items.count), (total - worse, all.count - items.count)))
    }
    slices = SliceFindings(
      found.map { candidate, comparison, probability in
        var candidate = candidate
        candidate.items = candidate.items.map { pairs[$0].0 }
        return SliceFinding(
          slice: result.result(of: candidate), measure: SliceFinding.regressions,
          value: comparison.value, reference: comparison.reference, probability: probability)
      }, testedCount: search.candidates.count)
  }
}

extension BaselineComparison.Change {
  fileprivate func verdict(_ direction: MetricValue.Direction) -> Verdict {
    guard let probability, direction != .neither else { return .untested }
    guard probability < SignificanceTest.level, difference != 0 else { return .tie }
    return (difference > 0) == (direction == .higher) ? .better : .worse
  }
}

extension EvaluationResult {
  /// The metrics that a later result is compared with.
  var comparableMetrics: [MetricValue] { metrics + performance.metrics }

  /// The metrics that follow from what a report has of each item: labels and losses.
  var restoredMetrics: [any ItemMetric] {
    let outcomes = items.outcomes
    var restored: [any ItemMetric] = []
    let areCorrect = outcomes.compactMap(\.isCorrect)
    if areCorrect.count == outcomes.count {
      restored += MetricNames.correctness.filter { metrics[$0] != nil }.map {
        RatioItems($0, areCorrect: areCorrect)
      }
    }
    let losses = outcomes.compactMap(\.loss)
    if losses.count == outcomes.count, let mean = losses.mean {
      restored += ["log_loss", "mae"].filter { name in
        metrics[name]?.value.map { abs($0 - mean) <= 1e-9 * max(1, abs(mean)) } ?? false
      }.map { RatioItems($0, unit: .number, direction: .lower, losses) }
    }
    if let confusion, areCorrect.count == outcomes.count {
      let indices = Dictionary(confusion.labels.enumerated().map { ($1, $0) }) { first, _ in first }
      let cells = outcomes.compactMap { outcome in
        indices[outcome.truth].flatMap { truth in indices[outcome.prediction].map { (truth, $0) } }
      }
      if cells.count == outcomes.count {
        restored.append(
          ConfusionItems(
            actual: cells.map(\.0), predicted: cells.map(\.1), labels: confusion.labels))
      }
    }
    return restored
  }
}

extension ModelError.Reason {
  /// A baseline of other data.
  static func otherItems(_ name: String) -> Self {
    .unmetRequirement(
      "the baseline '\(name, as: "baseline")' has none of the evaluated items; it is of other data")
  }
}
