import TensorIOCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Judges probabilities: how much of it went to the right class, and whether it was deserved.
///
/// Scores that are no probabilities (one beyond 0 or 1, or a sum that is not about 1) have no such
/// figures; one example with such scores makes all of them unknown.
public struct ProbabilityMetric: Metric {
  /// How far from 1 the sum of probabilities may be.
  private static let sumTolerance: Float = 1e-2

  /// Whether all scores so far were probabilities.
  public private(set) var areProbabilities = true
  private var loss = RunningMean()
  private var squaredErrors = RunningMean()
  private var calibrationBins: Calibration

  /// A judge without examples.
  public init(binCount: Int = 15) {
    calibrationBins = Calibration(binCount: binCount)
  }

  /// Takes the scores of all classes into account.
  ///
  /// - Precondition: `truth` is the index of a score.
  public mutating func add(_ scores: [Float], groundTruth: Int) {
    let sum = scores.reduce(0, +)
    areProbabilities =
      areProbabilities && scores.allSatisfy { (0...1).contains($0) }
      && abs(sum - 1) < Self.sumTolerance
    guard areProbabilities else { return }
    // As scikit-learn clips them, so that one wrong answer does not outweigh all others.
    let least = Double.ulpOfOne
    loss.add(-log(min(max(Double(scores[groundTruth]), least), 1 - least)))
    squaredErrors.add(Self.squaredError(of: scores, groundTruth: groundTruth))
    let best = Classification(labels: [], scores: scores).bestIndex ?? groundTruth
    calibrationBins.add(Double(scores[best]), isCorrect: best == groundTruth)
  }

  /// Halved for two classes, which both tell the same.
  private static func squaredError(of scores: [Float], groundTruth truth: Int) -> Double {
    let sum = scores.indices.reduce(0) { sum, index in
      let difference = Double(scores[index]) - (index == truth ? 1 : 0)
      return sum + difference * difference
    }
    return scores.count == 2 ? sum / 2 : sum
  }

  /// The mean of the negative logarithms of the right classes' probabilities.
  public var logLoss: Double? { areProbabilities ? loss.value : nil }

  /// The mean squared distance between the probabilities and the truth: the Brier score.
  public var brierScore: Double? { areProbabilities ? squaredErrors.value : nil }

  /// Whether the highest probability is the chance to be right.
  public var calibration: Calibration? { areProbabilities ? calibrationBins : nil }

  /// `loss`, `brier` and `ece`.
  public var values: [MetricValue] {
    [
      .error("loss", logLoss), .error("brier", brierScore),
      .error("ece", calibration?.expectedCalibrationError, unit: .fraction),
    ].compactMap(\.self)
  }
}

/// Whether answers are as often right as they are sure of themselves.
///
/// Confidences from 0 to 1 fall into bins of equal width, each with its upper edge.
public struct Calibration: Sendable, Hashable {
  /// The answers whose confidence falls between two edges.
  public struct Bin: Sendable, Hashable {
    /// The lower edge, which belongs to the bin below.
    public let lower: Double
    /// The upper edge, which belongs to this bin.
    public let upper: Double
    /// How many answers there are.
    public private(set) var count = 0
    /// How many of them are right.
    public private(set) var correctCount = 0
    private var meanConfidence = RunningMean()

    init(lower: Double, upper: Double) {
      (self.lower, self.upper) = (lower, upper)
    }

    /// How sure the answers are of themselves on average; `nil` without answers.
    public var confidence: Double? { meanConfidence.value }
    /// The share of the answers that is right; `nil` without answers.
    public var accuracy: Double? { ratio(correctCount, of: count) }

    mutating func add(_ confidence: Double, isCorrect: Bool) {
      count += 1
      correctCount += isCorrect ? 1 : 0
      meanConfidence.add(confidence)
    }
  }

  /// The bins, from 0 to 1.
  public private(set) var bins: [Bin]

  /// A judge without answers.
  public init(binCount count: Int = 15) {
    precondition(count > 0, "confidences fall into a bin at least")
    let edges = (0..<count).map { Double($0) * (1 / Double(count)) } + [1]
    bins = zip(edges, edges.dropFirst()).map(Bin.init)
  }

  /// Takes an answer into account; a confidence beyond 0 or 1 falls into the first or last bin.
  public mutating func add(_ confidence: Double, isCorrect: Bool) {
    let bin = bins.firstIndex { confidence <= $0.upper } ?? bins.count - 1
    bins[bin].add(confidence, isCorrect: isCorrect)
  }

  /// How many answers there were.
  public var count: Int { bins.reduce(0) { $0 + $1.count } }

  /// By how much accuracy and confidence differ, as the mean over all answers; `nil` without any.
  public var expectedCalibrationError: Double? {
    let all = Double(count)
    guard all > 0 else { return nil }
    return bins.reduce(0) { sum, bin in
      guard let confidence = bin.confidence, let accuracy = bin.accuracy else { return sum }
      return sum + Double(bin.count) / all * abs(accuracy - confidence)
    }
  }
}
