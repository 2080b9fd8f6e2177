/// Something in a picture, to be shown by a rectangle around it.
///
/// ```swift
/// canvas.draw([.init(box: car, label: "car", score: 0.87, color: .forClass(2))])
/// ```
public struct BoxAnnotation: Sendable, Hashable {
  /// Where it is.
  public var box: Canvas.Rectangle
  /// What it is.
  public var label: String
  /// How sure that is, from 0 to 1.
  public var score: Double
  /// The colour of its kind.
  public var color: Color
  /// Points of it.
  public var points: [Canvas.Point]

  /// Something with a rectangle around it.
  public init(
    box: Canvas.Rectangle, label: String, score: Double, color: Color,
    points: [Canvas.Point] = []
  ) {
    self.box = box
    self.label = label
    self.score = score
    self.color = color
    self.points = points
  }
}

extension BoxAnnotation {
  /// The score as whole percents, or as it is where it is no share.
  var scoreText: String {
    guard (0...1).contains(score) else {
      return ScorePanel.Entry(label: "", score: score).scoreText
    }
    return "\(Int((score * 100).rounded())) %"
  }
}
