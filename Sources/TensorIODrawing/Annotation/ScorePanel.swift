/// Labels and their scores as bars, to lie over a corner of a picture.
///
/// ```swift
/// var canvas = try Canvas(enlarging: picture)
/// canvas.draw(ScorePanel([.init(label: "tabby", score: 0.83), .init(label: "lynx", score: 0.11)]))
/// ```
public struct ScorePanel: Sendable, Hashable {
  /// A label and how sure the model is of it.
  public struct Entry: Sendable, Hashable {
    /// What it is.
    public var label: String
    /// From 0, certainly not, to 1, certainly.
    public var score: Double
    /// The class, which chooses the colour; without one the place in the list does.
    public var index: Int?

    /// A label with a score.
    public init(label: String, score: Double, index: Int? = nil) {
      self.label = label
      self.score = score
      self.index = index
    }
  }

  /// The rows, from the top.
  public var entries: [Entry]

  /// A panel with a row for each entry.
  public init(_ entries: [Entry]) {
    self.entries = entries
  }
}

extension ScorePanel.Entry {
  /// How much of the bar is filled.
  var fraction: Double { score.isFinite ? min(max(score, 0), 1) : 0 }

  /// The score as percents; what is no share of one stays a number.
  var scoreText: String {
    if score.isNaN { return "–" }
    guard (0...1).contains(score) else { return Self.rounded(score, decimals: 2) }
    return Self.rounded(score * 100, decimals: 1) + " %"
  }

  /// A number with a few decimals, or in its shortest form where that would take too much room.
  private static func rounded(_ value: Double, decimals: Int) -> String {
    var unit = 1.0
    for _ in 0..<decimals { unit *= 10 }
    guard let units = Int(exactly: (abs(value) * unit).rounded()), units < 100_000_000 else {
      return "\(value)"
    }
    let (whole, rest) = units.quotientAndRemainder(dividingBy: Int(unit))
    let digits = String(rest)
    let zeros = String(repeating: "0", count: decimals - digits.count)
    return (value < 0 ? "-" : "") + "\(whole).\(zeros)\(digits)"
  }
}
