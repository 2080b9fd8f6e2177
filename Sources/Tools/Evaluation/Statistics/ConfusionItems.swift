/// The metrics of a confusion matrix over items.
struct ConfusionItems: ItemMetric {
  /// The maximum number of classes whose F1 scores are resampled.
  private static let maxResampledClasses = 40

  private let actual: [Int32]
  private let predicted: [Int32]
  /// The items by the pair of their classes; `nil` if there are more pairs than items.
  private let pairs: ItemGroups?
  /// The labels of the classes.
  private let labels: [String]
  /// The names of the metrics of each class, which are made once, since resamples repeat them.
  private let names: [[String]]
  /// Whether the mean recall of the classes is a metric.
  private let hasBalancedAccuracy: Bool

  /// Creates the metrics; classes are indices of labels.
  init(actual: [Int], predicted: [Int], labels: [String], hasBalancedAccuracy: Bool = true) {
    self.init(
      actual.map { Int32(clamping: $0) }, predicted.map { Int32(clamping: $0) }, labels,
      hasBalancedAccuracy)
  }

  private init(
    _ actual: [Int32], _ predicted: [Int32], _ labels: [String], _ hasBalancedAccuracy: Bool
  ) {
    (self.actual, self.predicted, self.labels) = (actual, predicted, labels)
    self.hasBalancedAccuracy = hasBalancedAccuracy
    let pairCount = labels.count * labels.count
    pairs =
      pairCount > actual.count
      ? nil
      : ItemGroups(
        zip(actual, predicted).map { $0 * Int32(labels.count) + $1 }, count: pairCount)
    names = labels.map { label in ["precision", "recall", "f1"].map { "\($0)[\(label)]" } }
  }

  var cost: Int { 3 * actual.count + 4 * labels.count }

  func values(_ weights: [Int32]) -> [MetricValue] {
    var supports = [Int](repeating: 0, count: labels.count)
    var (predictions, hits) = (supports, supports)
    func add(_ actual: Int, _ predicted: Int, _ weight: Int) {
      supports[actual] += weight
      predictions[predicted] += weight
      hits[actual] += actual == predicted ? weight : 0
    }
    if let sums = pairs?.sums(weights) {
      for (pair, sum) in sums.enumerated() { add(pair / labels.count, pair % labels.count, sum) }
    } else {
      for index in weights.indices {
        add(Int(actual[index]), Int(predicted[index]), Int(weights[index]))
      }
    }
    let classes = labels.indices.filter { supports[$0] + predictions[$0] > 0 }.map {
      ClassMetrics(
        $0, truePositives: hits[$0], support: supports[$0], predictedCount: predictions[$0])
    }
    guard !classes.isEmpty else { return [] }
    let average = ClassMetrics.Scores.mean(of: classes) { _ in 1 }
    let balanced = classes.filter { $0.support > 0 }.map(\.scores.recall).mean
    return [
      .fraction("precision", average.precision), .fraction("recall", average.recall),
      .fraction("f1", average.f1),
      hasBalancedAccuracy ? .fraction("balanced_accuracy", balanced) : nil,
    ].compactMap(\.self)
      + (classes.count <= Self.maxResampledClasses ? classes.flatMap(metrics) : [])
  }

  /// Returns the metrics of a class; its precision and its recall are proportions.
  private func metrics(of result: ClassMetrics) -> [MetricValue] {
    let scores = result.scores
    let metrics = [
      (scores.precision, result.predictedCount), (scores.recall, result.support), (scores.f1, 0),
    ]
    return zip(names[result.classIndex], metrics).map { name, entry in
      let (value, count) = entry
      var metric = MetricValue(name, value, unit: .fraction, direction: .higher)
      metric.interval = ConfidenceInterval(successes: result.truePositives, of: count)
      return metric
    }
  }

  func selecting(_ items: [Int]) -> any ItemMetric {
    ConfusionItems(
      items.map { actual[$0] }, items.map { predicted[$0] }, labels, hasBalancedAccuracy)
  }
}
