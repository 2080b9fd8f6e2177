import TensorIOCore
import TensorIOSystem

/// Metrics of predicted probabilities: log loss, Brier score and calibration.
///
/// The metrics are undefined as soon as one example has scores that are not probabilities, because
/// one is outside 0 to 1 or their sum is not about 1.
public struct ProbabilityMetric: Metric {
  /// The maximum difference of the sum of probabilities from 1.
  private static let sumTolerance: Float = 1e-2

  /// The number of examples.
  private var count = 0
  /// The number of examples whose scores are not probabilities.
  private var invalidCount = 0
  /// The reason why the scores of the first such example are not probabilities.
  private var firstInvalidReason = ""
  private var loss = RunningMean()
  private var squaredErrors = RunningMean()
  private var calibrationBins: Calibration

  /// Creates a metric without examples.
  public init(binCount: Int = 15) {
    calibrationBins = Calibration(binCount: binCount)
  }

  /// Adds an example.
  ///
  /// - Precondition: `groundTruth` is the index of a score.
  public mutating func add(_ scores: [Float], groundTruth: Int) {
    count += 1
    if let reason = Self.reasonAgainstProbabilities(scores) {
      if invalidCount == 0 { firstInvalidReason = reason }
      invalidCount += 1
    }
    guard areProbabilities else { return }
    loss.add(Self.logLoss(ofProbability: Double(scores[groundTruth])))
    squaredErrors.add(Self.squaredError(of: scores, groundTruth: groundTruth))
    let best = Classification(labels: [], scores: scores).bestIndex ?? groundTruth
    calibrationBins.add(Double(scores[best]), isCorrect: best == groundTruth)
  }

  /// Whether all scores so far were probabilities.
  public var areProbabilities: Bool { invalidCount == 0 }

  /// Returns the negative logarithm of the probability of the correct class.
  static func logLoss(ofProbability probability: Double) -> Double {
    // Clipped as in scikit-learn, so that one wrong prediction does not outweigh all others.
    let minProbability = Double.ulpOfOne
    return -log(min(max(probability, minProbability), 1 - minProbability))
  }

  /// Returns the reason why scores are not probabilities; `nil` if they are.
  static func reasonAgainstProbabilities(_ scores: [Float]) -> String? {
    if let score = scores.first(where: { !(0...1).contains($0) }) {
      return "a score of \(Double(score).formatted(decimals: 3))"
    }
    let sum = scores.reduce(0, +)
    guard abs(sum - 1) >= sumTolerance else { return nil }
    return "scores that add up to \(Double(sum).formatted(decimals: 3))"
  }

  /// Returns the squared error, halved for two classes, whose errors are equal.
  static func squaredError(of scores: [Float], groundTruth: Int) -> Double {
    let sum = scores.indices.reduce(0) { sum, index in
      let difference = Double(scores[index]) - (index == groundTruth ? 1 : 0)
      return sum + difference * difference
    }
    return scores.count == 2 ? sum / 2 : sum
  }

  /// The mean negative logarithm of the probability of the correct class.
  public var logLoss: Double? { areProbabilities ? loss.value : nil }

  /// The Brier score: the mean squared difference between probabilities and ground truth.
  public var brierScore: Double? { areProbabilities ? squaredErrors.value : nil }

  /// The calibration of the highest probability.
  public var calibration: Calibration? { areProbabilities ? calibrationBins : nil }

  /// The names of the metrics that are undefined because of scores that are not probabilities, and
  /// the reason.
  var undefinedMetrics: [UndefinedMetric] {
    guard !areProbabilities else { return [] }
    let reason =
      "the scores of \(invalidCount) of \(count) items are not probabilities from 0 to 1 that add up "
      + "to 1 ± \(Double(Self.sumTolerance).formatted(decimals: 2)); the first of them has "
      + firstInvalidReason
    return ["log_loss", "brier_score", "ece"].map { UndefinedMetric(name: $0, reason: reason) }
  }

  /// `log_loss`, `brier_score` and `ece`.
  public var values: [MetricValue] {
    [
      .error("log_loss", logLoss), .error("brier_score", brierScore),
      .error("ece", calibration?.expectedCalibrationError, unit: .fraction),
    ].compactMap(\.self)
  }
}

/// Calibration of predictions: whether accuracy matches confidence.
///
/// Confidences from 0 to 1 are grouped into bins of equal width that include their upper edge.
public struct Calibration: Sendable, Hashable {
  /// The predictions in an interval of confidence.
  public struct Bin: Sendable, Hashable {
    /// The lower edge, which belongs to the bin below.
    public let lower: Double
    /// The upper edge, which belongs to this bin.
    public let upper: Double
    /// The number of predictions.
    public private(set) var count = 0
    /// The number of correct predictions.
    public private(set) var correctCount = 0
    private var meanConfidence = RunningMean()

    init(lower: Double, upper: Double) {
      (self.lower, self.upper) = (lower, upper)
    }

    /// The mean confidence; `nil` without predictions.
    public var confidence: Double? { meanConfidence.value }
    /// The fraction of correct predictions; `nil` without predictions.
    public var accuracy: Double? { ratio(correctCount, of: count) }

    mutating func add(_ confidence: Double, isCorrect: Bool) {
      count += 1
      correctCount += isCorrect ? 1 : 0
      meanConfidence.add(confidence)
    }
  }

  /// The bins from 0 to 1.
  public private(set) var bins: [Bin]

  /// Creates a calibration without predictions.
  public init(binCount count: Int = 15) {
    precondition(count > 0, "binCount must be positive")
    let edges = (0..<count).map { Double($0) * (1 / Double(count)) } + [1]
    bins = zip(edges, edges.dropFirst()).map(Bin.init)
  }

  /// Adds a prediction; a confidence outside 0 to 1 is added to the first or last bin.
  public mutating func add(_ confidence: Double, isCorrect: Bool) {
    bins[index(of: confidence)].add(confidence, isCorrect: isCorrect)
  }

  /// Returns the index of the bin of a confidence.
  func index(of confidence: Double) -> Int {
    bins.firstIndex { confidence <= $0.upper } ?? bins.count - 1
  }

  /// The number of predictions.
  public var count: Int { bins.reduce(0) { $0 + $1.count } }

  /// The mean difference of accuracy and confidence, weighted by bin; `nil` without predictions.
  public var expectedCalibrationError: Double? {
    let total = Double(count)
    guard total > 0 else { return nil }
    return bins.reduce(0) { sum, bin in
      guard let confidence = bin.confidence, let accuracy = bin.accuracy else { return sum }
      return sum + Double(bin.count) / total * abs(accuracy - confidence)
    }
  }
}
