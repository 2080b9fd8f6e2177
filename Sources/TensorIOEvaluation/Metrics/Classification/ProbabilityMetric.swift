internal import TensorIOCore

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
  private var squares = RunningMean()
  private var answers: Calibration

  /// A judge without examples.
  public init(bins: Int = 15) {
    answers = Calibration(bins: bins)
  }

  /// Takes the scores of all classes into account.
  ///
  /// - Precondition: `truth` is the index of a score.
  public mutating func add(_ scores: [Float], truth: Int) {
    let sum = scores.reduce(0, +)
    areProbabilities =
      areProbabilities && scores.allSatisfy { (0...1).contains($0) }
      && abs(sum - 1) < Self.sumTolerance
    guard areProbabilities else { return }
    // As scikit-learn clips them, so that one wrong answer does not outweigh all others.
    let least = Double.ulpOfOne
    loss.add(-log(min(max(Double(scores[truth]), least), 1 - least)))
    squares.add(Self.squaredDistance(of: scores, from: truth))
    let best = Classification(labels: [], scores: scores).bestIndex ?? truth
    answers.add(Double(scores[best]), isRight: best == truth)
  }

  /// Halved for two classes, which both tell the same.
  private static func squaredDistance(of scores: [Float], from truth: Int) -> Double {
    let sum = scores.indices.reduce(0) { sum, index in
      let difference = Double(scores[index]) - (index == truth ? 1 : 0)
      return sum + difference * difference
    }
    return scores.count == 2 ? sum / 2 : sum
  }

  /// The mean of the negative logarithms of the right classes' probabilities.
  public var logLoss: Double? { areProbabilities ? loss.value : nil }

  /// The mean squared distance between the probabilities and the truth: the Brier score.
  public var brierScore: Double? { areProbabilities ? squares.value : nil }

  /// Whether the highest probability is the chance to be right.
  public var calibration: Calibration? { areProbabilities ? answers : nil }

  /// `loss`, `brier` and `ece`.
  public var figures: [Figure] {
    [
      .error("loss", logLoss), .error("brier", brierScore),
      .error("ece", calibration?.expectedError, unit: .share),
    ].compactMap(\.self)
  }
}
