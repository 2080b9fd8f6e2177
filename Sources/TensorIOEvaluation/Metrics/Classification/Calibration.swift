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
    public private(set) var right = 0
    private var meanConfidence = RunningMean()

    init(lower: Double, upper: Double) {
      (self.lower, self.upper) = (lower, upper)
    }

    /// How sure the answers are of themselves on average; `nil` without answers.
    public var confidence: Double? { meanConfidence.value }
    /// The share of the answers that is right; `nil` without answers.
    public var accuracy: Double? { share(right, of: count) }

    mutating func add(_ confidence: Double, isRight: Bool) {
      count += 1
      right += isRight ? 1 : 0
      meanConfidence.add(confidence)
    }
  }

  /// The bins, from 0 to 1.
  public private(set) var bins: [Bin]

  /// A judge without answers.
  public init(bins count: Int = 15) {
    precondition(count > 0, "confidences fall into a bin at least")
    let edges = (0..<count).map { Double($0) * (1 / Double(count)) } + [1]
    bins = zip(edges, edges.dropFirst()).map(Bin.init)
  }

  /// Takes an answer into account; a confidence beyond 0 or 1 falls into the first or last bin.
  public mutating func add(_ confidence: Double, isRight: Bool) {
    let bin = bins.firstIndex { confidence <= $0.upper } ?? bins.count - 1
    bins[bin].add(confidence, isRight: isRight)
  }

  /// How many answers there were.
  public var count: Int { bins.reduce(0) { $0 + $1.count } }

  /// By how much accuracy and confidence differ, as the mean over all answers; `nil` without any.
  public var expectedError: Double? {
    let all = Double(count)
    guard all > 0 else { return nil }
    return bins.reduce(0) { sum, bin in
      guard let confidence = bin.confidence, let accuracy = bin.accuracy else { return sum }
      return sum + Double(bin.count) / all * abs(accuracy - confidence)
    }
  }
}
