public import TensorIOBundle

/// Labels and their scores, in the order of the model's output.
///
///     let output = try model.run(image)
///     for entry in try Classification(output["classification"]).top(5, above: 0.1) {
///       print(entry.label, entry.score)
///     }
public struct Classification: Sendable, Equatable {
  /// One label and its score.
  public struct Entry: Sendable, Hashable {
    /// The label.
    public let label: String
    /// The score of the label.
    public let score: Float
    /// The index in the output.
    public let index: Int

    /// Creates an entry.
    public init(label: String, score: Float, index: Int) {
      self.label = label
      self.score = score
      self.index = index
    }
  }

  /// The labels, in the order of the output.
  public let labels: [String]
  /// The scores, in the order of the output.
  public let scores: [Float]

  /// Creates a classification.
  ///
  /// Scores without a label get their index as the label; surplus labels are ignored.
  public init(labels: [String], scores: [Float]) {
    self.labels = labels
    self.scores = scores
  }

  /// The label and score at an index of the output.
  public subscript(index: Int) -> Entry {
    Entry(
      label: index < labels.count ? labels[index] : String(index), score: scores[index],
      index: index)
  }

  /// All entries, in the order of the output.
  public var entries: [Entry] { scores.indices.map { self[$0] } }

  /// Returns the entries with the highest scores, highest first.
  ///
  /// Equal scores keep the order of the output. NaN exceeds no threshold and comes last.
  ///
  /// - Parameters:
  ///   - count: The maximum number of entries.
  ///   - threshold: A score that entries must exceed; `nil` for no threshold.
  /// - Returns: At most `count` entries.
  public func top(_ count: Int = .max, above threshold: Float? = nil) -> [Entry] {
    let indices = scores.indices.filter { index in threshold.map { scores[index] > $0 } ?? true }
    return highest(Swift.max(0, count), of: indices).map { self[$0] }
  }

  /// Up to this count, inserting into a short list is faster than sorting all scores.
  private static let insertionSortLimit = 32

  private func highest(_ count: Int, of indices: [Int]) -> [Int] {
    guard count <= Self.insertionSortLimit else {
      return Array(indices.sorted(by: ranksHigher).prefix(count))
    }
    var highest: [Int] = []
    for index in indices {
      if highest.count == count {
        guard let last = highest.last, ranksHigher(index, last) else { continue }
        highest.removeLast()
      }
      highest.insert(index, at: highest.firstIndex { ranksHigher(index, $0) } ?? highest.endIndex)
    }
    return highest
  }

  /// Returns the number of entries that precede an entry in the order of ``top(_:above:)``.
  package func rank(of index: Int) -> Int {
    scores.indices.count { ranksHigher($0, index) }
  }

  /// The index of the entry with the highest score; `nil` without entries.
  package var bestIndex: Int? { scores.indices.min(by: ranksHigher) }

  private func ranksHigher(_ left: Int, _ right: Int) -> Bool {
    let (a, b) = (scores[left], scores[right])
    if a.isNaN != b.isNaN { return b.isNaN }
    return a == b || a.isNaN ? left < right : a > b
  }

  /// The score of a label; the highest one if the label occurs more than once.
  public subscript(label: String) -> Float? {
    scoresByLabel[label]
  }

  /// The scores by label, as in TensorIO for iOS.
  ///
  /// A label that occurs more than once has its highest score.
  public var scoresByLabel: [String: Float] {
    Dictionary(entries.map { ($0.label, $0.score) }, uniquingKeysWith: Float.maximum)
  }
}

extension Classification: RandomAccessCollection {
  /// The index of the first score.
  public var startIndex: Int { scores.startIndex }
  /// The index after the last score.
  public var endIndex: Int { scores.endIndex }
  /// The number of scores.
  public var count: Int { scores.count }
}

extension LayerValue {
  /// Returns the labels with the highest scores above a threshold, highest first.
  ///
  /// - Throws: A ``ModelError`` if the value is not a classification.
  public func top(
    _ count: Int = .max, above threshold: Float? = nil
  ) throws(ModelError) -> [Classification.Entry] {
    try Classification(self).top(count, above: threshold)
  }
}

/// Smooths the labels of a video, whose scores vary from one frame to the next.
///
/// A label's score becomes `decay · previous + (1 - decay) · current`. Labels whose score falls
/// below the threshold are removed. The scores of the first frame are not changed.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "mobilenet.tiobundle")
/// var smoother = ClassificationSmoother.netRunner
/// for path in ["frame-1.jpg", "frame-2.jpg"] {
///   let classes = try model.run(ImageBuffer(contentsOf: path)).classes
///   print(smoother.smooth(classes).first?.label ?? "unknown")
/// }
/// ```
public struct ClassificationSmoother: Sendable, Hashable {
  /// The weight of the previous score, from 0 to 1.
  public var decay: Float
  /// The score below which a label is removed.
  public var minimumScore: Float
  /// The smoothed labels, highest score first; `nil` before the first frame.
  public private(set) var entries: [Classification.Entry]?

  /// Creates a smoother.
  public init(decay: Float, minimumScore: Float) {
    self.decay = decay
    self.minimumScore = minimumScore
  }

  /// The settings of Net Runner on iOS.
  public static let netRunner = ClassificationSmoother(decay: 0.7, minimumScore: 0.01)
  /// The settings of Net Runner on Android.
  public static let netRunnerAndroid = ClassificationSmoother(decay: 0.7, minimumScore: 0.02)

  /// Adds the labels of the next frame.
  ///
  /// A missing label and a score of NaN count as a score of 0.
  ///
  /// - Returns: The smoothed labels, highest score first.
  @discardableResult
  public mutating func smooth(_ current: [Classification.Entry]) -> [Classification.Entry] {
    let weight = entries == nil ? 1 : 1 - decay
    var smoothed: [Int: Classification.Entry] = [:]
    for entry in entries ?? [] { smoothed[entry.index] = entry.with(score: entry.score * decay) }
    for entry in current where !entry.score.isNaN {
      let previous = smoothed[entry.index]?.score ?? 0
      smoothed[entry.index] = entry.with(score: previous + entry.score * weight)
    }
    let result = smoothed.values.filter { $0.score >= minimumScore }.sorted {
      $0.score == $1.score ? $0.index < $1.index : $0.score > $1.score
    }
    entries = result
    return result
  }

  /// Discards all previous frames.
  public mutating func reset() {
    entries = nil
  }
}

extension Classification.Entry {
  fileprivate func with(score: Float) -> Self {
    Self(label: label, score: score, index: index)
  }
}
