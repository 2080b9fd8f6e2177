/// Curves over a common axis, such as the loss over the epochs of a training.
///
/// ```swift
/// var canvas = try Canvas(width: 960, height: 600)
/// canvas.draw(LineChart(title: "digits", x: "epoch", y: "loss", series: [training, validation]))
/// ```
public struct LineChart: Sendable, Hashable {
  /// One curve.
  public struct Series: Sendable, Hashable {
    /// What the legend calls it; a curve without a name is not in the legend.
    public var name: String
    /// Its points, from left to right; what is not finite is a gap.
    public var points: [Canvas.Point]
    /// Its colour.
    public var color: Color
    /// How wide the line is.
    public var lineWidth: Double

    /// A curve through points.
    public init(
      name: String = "", points: [Canvas.Point], color: Color, lineWidth: Double = 2.5
    ) {
      self.name = name
      self.points = points
      self.color = color
      self.lineWidth = lineWidth
    }
  }

  /// What stands above it.
  public var title: String
  /// What is counted to the right.
  public var x: String
  /// What is measured upwards.
  public var y: String
  /// The curves, the last on top.
  public var series: [Series]
  /// Whether the upward axis begins at zero, as it has to where heights are compared.
  public var beginsAtZero = false

  /// A chart of curves.
  public init(title: String, x: String, y: String, series: [Series]) {
    self.title = title
    self.x = x
    self.y = y
    self.series = series
  }
}

extension LineChart {
  /// All points that can be shown.
  var points: [Canvas.Point] { series.flatMap(\.points).filter { $0.x.isFinite && $0.y.isFinite } }
}

extension LineChart.Series {
  /// The runs of points between the gaps.
  var runs: [[Canvas.Point]] {
    points.split { !$0.x.isFinite || !$0.y.isFinite }.map(Array.init)
  }
}
