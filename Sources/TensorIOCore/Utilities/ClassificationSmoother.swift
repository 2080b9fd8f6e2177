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
