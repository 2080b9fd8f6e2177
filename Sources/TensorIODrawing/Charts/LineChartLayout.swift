internal import TensorIOImage

/// Where the parts of a chart go on a canvas.
struct LineChartLayout {
  /// The size of the letters along the axes, and with it of everything else.
  let textSize: Double
  let horizontal: AxisTicks
  let vertical: AxisTicks
  /// Where the curves are.
  let plot: Canvas.Rectangle

  static let relativeTextSize = 0.032
  static let smallestText = 11.0
  static let titleScale = 1.4

  init(_ chart: LineChart, on canvas: borrowing Canvas) {
    let (width, height) = (Double(canvas.width), Double(canvas.height))
    let size = max(Self.smallestText, Self.relativeTextSize * min(width, height))
    let points = chart.points
    horizontal = AxisTicks(
      covering: Self.range(of: points.map(\.x)), atMost: Int(width / (6 * size)), wholeOnly: true)
    vertical = AxisTicks(
      covering: Self.range(of: points.map(\.y) + (chart.beginsAtZero ? [0] : []), withZero: true),
      atMost: Int(height / (4 * size)))
    var labelWidth = 0.0
    for label in vertical.labels {
      labelWidth = max(labelWidth, canvas.width(of: label, size: size))
    }
    let line = canvas.lineHeight(size: size)
    let left = 1.6 * size + labelWidth
    let top = 1.2 * size + canvas.lineHeight(size: Self.titleScale * size) + 1.1 * size + line
    textSize = size
    plot = Canvas.Rectangle(
      x: left, y: top, width: width - left - 1.8 * size, height: height - top - 2.2 * line - size)
  }

  /// Losses are read against zero, where that does not press them into a line.
  private static func range(of values: [Double], withZero: Bool = false) -> ClosedRange<Double> {
    guard let low = values.min(), let high = values.max() else { return 0...1 }
    return withZero && low > 0 && low < high / 2 ? 0...high : low...high
  }

  /// The place of a number along the horizontal axis.
  func x(_ value: Double) -> Double {
    plot.x + plot.width * Self.share(of: value, in: horizontal.range)
  }

  /// The place of a number along the vertical axis.
  func y(_ value: Double) -> Double {
    plot.maxY - plot.height * Self.share(of: value, in: vertical.range)
  }

  private static func share(of value: Double, in range: ClosedRange<Double>) -> Double {
    (value - range.lowerBound) / max(range.upperBound - range.lowerBound, .leastNormalMagnitude)
  }
}
