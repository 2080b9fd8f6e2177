internal import TensorIOCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Judges scores by the label that should have the highest.
struct LabelJudge: Judge {
  /// So few other labels may come before the right one.
  private static let bestCounts = [1, 5]
  /// No probability counts as less, so that one wrong answer does not outweigh all others.
  private static let leastProbability = 1e-7
  /// How far from one the sum of probabilities may be.
  private static let sumTolerance: Float = 1e-2

  let output: String
  let truth: String

  private var hits: [Int: Mean] = [:]
  private var loss: Mean? = Mean()
  private var classCount = 0
  private var tallies: [Int: ClassTally] = [:]

  init(output: String, truth: String) {
    self.output = output
    self.truth = truth
  }

  mutating func add(
    _ output: ModelOutput, to item: [String: LayerValue]
  ) throws(ModelError) {
    let scores = Self.eachClass(try Classification(output[self.output]))
    guard let right = item[truth]?.labelIndex, scores.scores.indices.contains(right) else {
      throw ModelError(.input, .unreadableValue("its label is none of the model's"), layer: truth)
    }
    classCount = scores.count
    let best = scores.top(Self.bestCounts.max() ?? 1).map(\.index)
    for count in Self.bestCounts {
      hits[count, default: Mean()].add(best.prefix(count).contains(right) ? 1 : 0)
    }
    addLoss(of: scores.scores, right)
    tallies[right, default: ClassTally(label: scores[right].label)].count += 1
    if best.first == right { tallies[right]?.correct += 1 }
  }

  /// A single score is that of the second of two classes.
  private static func eachClass(_ scores: Classification) -> Classification {
    guard scores.count == 1 else { return scores }
    let label = scores[0].label
    return Classification(
      labels: ["not \(label)", label], scores: [1 - scores.scores[0], scores.scores[0]])
  }

  /// The cross entropy, as long as all scores are probabilities.
  private mutating func addLoss(of scores: [Float], _ right: Int) {
    let areProbabilities =
      scores.allSatisfy { (0...1).contains($0) }
      && abs(scores.reduce(0, +) - 1) < Self.sumTolerance
    guard areProbabilities else { return loss = nil }
    loss?.add(-log(max(Double(scores[right]), Self.leastProbability)))
  }

  var metrics: [Metric] {
    // That one of five labels is right says nothing where there are no more.
    let telling = Self.bestCounts.filter { $0 < classCount }
    let shares = telling.compactMap { count in hits[count].map { Metric("top\(count)", $0.value) } }
    return shares + (loss.map { $0.count > 0 ? [Metric("loss", $0.value)] : [] } ?? [])
  }

  var classes: [ClassTally] { tallies.sorted { $0.key < $1.key }.map(\.value) }
}

extension LayerValue {
  /// The label that a value of the data names: its index, or the place of the largest number.
  fileprivate var labelIndex: Int? {
    guard case .numbers(let numbers) = self else { return nil }
    let values = numbers.doubles
    guard values.count > 1 else { return values.first.flatMap { Int(exactly: $0) } }
    return values.indices.max { values[$0] < values[$1] }
  }
}
