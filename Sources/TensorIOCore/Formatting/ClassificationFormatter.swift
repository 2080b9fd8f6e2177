/// Words labels and their scores: `(0.87) rocking chair`, a line each, highest first.
///
/// It reads the output that is called `classification`, else the first one with labels. An output
/// without any is worded by a ``GeneralFormatter``.
public struct ClassificationFormatter: OutputFormatter, Hashable {
  /// How many labels are shown at most; `nil` shows all.
  public var count: Int?
  /// The score that a label must exceed; `nil` shows all.
  public var threshold: Float?
  /// What steadies the scores from one output to the next.
  public var smoother: ClassificationSmoother?

  /// A formatter for one stream of outputs.
  public init(
    count: Int? = nil, above threshold: Float? = nil, smoother: ClassificationSmoother? = nil
  ) {
    self.count = count
    self.threshold = threshold
    self.smoother = smoother
  }

  /// `image.classification.imagenet`: the five best above 0.1, smoothed.
  ///
  /// The threshold holds for what the model gives. The original applied it a second time to what
  /// was smoothed, so that labels which faded away vanished at once.
  public static let imageNet = ClassificationFormatter(
    count: 5, above: 0.1, smoother: .netRunner)

  /// `image.classification.nodecay`: all labels, as the model gives them.
  public static let withoutDecay = ClassificationFormatter()

  /// The labels, a line each.
  public mutating func text(for output: ModelOutput) -> String {
    guard let classification = Self.classification(in: output) else {
      var general = GeneralFormatter()
      return general.text(for: output)
    }
    let entries = classification.top(count ?? .max, above: threshold)
    let steady = smoother?.smooth(entries) ?? entries
    return steady.prefix(count ?? .max).map(\.line).joined(separator: "\n")
  }

  private static func classification(in output: ModelOutput) -> Classification? {
    let values = output.layers.filter { $0.name == "classification" } + output.layers
    return values.lazy.compactMap(\.value.classification).first
  }
}

extension Classification.Entry {
  /// The entry in words.
  var line: String { "(\(score.fixed(2))) \(label)" }
}
