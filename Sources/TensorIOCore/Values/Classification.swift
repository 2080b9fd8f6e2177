public import TensorIOBundle

/// Labels and their scores, in the order of the model's output.
public struct Classification: Sendable, Equatable {
  /// One label and its score.
  public struct Entry: Sendable, Hashable {
    /// The label's text.
    public let label: String
    /// The score that the model gives it.
    public let score: Float
    /// Its place in the output.
    public let index: Int

    /// A label and its score.
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

  /// Scores with their labels.
  ///
  /// A score without a label is named by its index; labels beyond the scores are left aside.
  public init(labels: [String], scores: [Float]) {
    self.labels = labels
    self.scores = scores
  }

  /// How many scores there are.
  public var count: Int { scores.count }

  /// The label and score at a place in the output.
  public subscript(index: Int) -> Entry {
    Entry(
      label: index < labels.count ? labels[index] : String(index), score: scores[index],
      index: index)
  }

  /// All entries in the order of the output.
  public var entries: [Entry] { scores.indices.map { self[$0] } }

  /// The entries with the highest scores above a threshold, highest first.
  ///
  /// Equal scores stay in the order of the output. A score that is not a number is above no
  /// threshold and comes last.
  public func top(_ count: Int = .max, above threshold: Float? = nil) -> [Entry] {
    let places = scores.indices.filter { index in threshold.map { scores[index] > $0 } ?? true }
    return highest(max(0, count), of: places).map { self[$0] }
  }

  /// So many are found faster one by one than by sorting all.
  private static let insertionSortLimit = 32

  private func highest(_ count: Int, of places: [Int]) -> [Int] {
    guard count <= Self.insertionSortLimit else { return Array(places.sorted(by: ranksHigher).prefix(count)) }
    var highest: [Int] = []
    for place in places {
      if highest.count == count {
        guard let last = highest.last, ranksHigher(place, last) else { continue }
        highest.removeLast()
      }
      highest.insert(place, at: highest.firstIndex { ranksHigher(place, $0) } ?? highest.endIndex)
    }
    return highest
  }

  /// How many entries come before one when the highest scores come first, as in ``top(_:above:)``.
  package func rank(of index: Int) -> Int {
    scores.indices.count { ranksHigher($0, index) }
  }

  /// The place of the entry that comes first in ``top(_:above:)``; `nil` without entries.
  package var bestIndex: Int? { scores.indices.min(by: ranksHigher) }

  private func ranksHigher(_ left: Int, _ right: Int) -> Bool {
    let (a, b) = (scores[left], scores[right])
    if a.isNaN != b.isNaN { return b.isNaN }
    return a == b || a.isNaN ? left < right : a > b
  }

  /// The score of a label; the highest of them when the label occurs more than once.
  public subscript(label: String) -> Float? {
    scoresByLabel[label]
  }

  /// The scores by label, as the original returned them; a label that occurs more than once keeps
  /// its highest score.
  public var scoresByLabel: [String: Float] {
    Dictionary(entries.map { ($0.label, $0.score) }, uniquingKeysWith: Float.maximum)
  }
}

extension LayerValue {
  /// The labels with the highest scores above a threshold, highest first.
  public func top(
    _ count: Int = .max, above threshold: Float? = nil
  ) throws(ModelError) -> [Classification.Entry] {
    try Classification(self).top(count, above: threshold)
  }
}

/// Steadies the labels of a video, whose scores jump from one picture to the next.
///
/// A label's score becomes `decay · previous + (1 - decay) · current`; one that falls below the
/// threshold is dropped. The first picture is taken as it is.
///
///     var smoother = ClassificationSmoother.netRunner
///     for frame in frames {
///       let classes = try model.run(frame)["classification"].top(5, above: 0.1)
///       show(smoother.smooth(classes))
///     }
public struct ClassificationSmoother: Sendable, Hashable {
  /// How much of the previous score is kept, from 0 to 1.
  public var decay: Float
  /// The score below which a label is dropped.
  public var threshold: Float
  /// The smoothed labels, highest first; `nil` before the first picture.
  public private(set) var entries: [Classification.Entry]?

  /// A smoother that has seen nothing.
  public init(decay: Float, threshold: Float) {
    self.decay = decay
    self.threshold = threshold
  }

  /// As in Net Runner on iOS.
  public static let netRunner = ClassificationSmoother(decay: 0.7, threshold: 0.01)
  /// As in Net Runner on Android.
  public static let netRunnerAndroid = ClassificationSmoother(decay: 0.7, threshold: 0.02)

  /// Takes in the labels of the next picture and gives the smoothed ones, highest first.
  ///
  /// A label that the picture lacks counts as a score of 0, and so does a score that is not a
  /// number.
  @discardableResult
  public mutating func smooth(_ current: [Classification.Entry]) -> [Classification.Entry] {
    let weight = entries == nil ? 1 : 1 - decay
    var smoothed: [Int: Classification.Entry] = [:]
    for entry in entries ?? [] { smoothed[entry.index] = entry.with(score: entry.score * decay) }
    for entry in current where !entry.score.isNaN {
      let kept = smoothed[entry.index]?.score ?? 0
      smoothed[entry.index] = entry.with(score: kept + entry.score * weight)
    }
    let result = smoothed.values.filter { $0.score >= threshold }.sorted {
      $0.score == $1.score ? $0.index < $1.index : $0.score > $1.score
    }
    entries = result
    return result
  }

  /// Forgets all pictures.
  public mutating func reset() {
    entries = nil
  }
}

extension Classification.Entry {
  fileprivate func with(score: Float) -> Self {
    Self(label: label, score: score, index: index)
  }
}
