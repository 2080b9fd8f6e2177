public import TensorIOImage

/// A line chart, such as the loss over the epochs of a training run.
///
/// ```swift
/// let chart = LineChart(title: "digits", xLabel: "epoch", yLabel: "loss", series: [training])
/// try chart.rendered(width: 960, height: 600).write(to: "loss.png")
/// ```
public struct LineChart: Sendable, Hashable {
  /// A series of points.
  public struct Series: Sendable, Hashable {
    /// The name in the legend; an empty name is not listed.
    public var name: String
    /// The points, left to right.
    ///
    /// Points that are not finite interrupt the line.
    public var points: [Canvas.Point]
    /// The color of the line.
    public var color: Color
    /// The width of the line.
    public var lineWidth: Double

    /// Creates a series.
    public init(
      name: String = "", points: [Canvas.Point], color: Color, lineWidth: Double = 2.5
    ) {
      self.name = name
      self.points = points
      self.color = color
      self.lineWidth = lineWidth
    }
  }

  /// The title above the chart.
  public var title: String
  /// The label of the horizontal axis.
  public var xLabel: String
  /// The label of the vertical axis.
  public var yLabel: String
  /// The series; later ones are drawn on top.
  public var series: [Series]
  /// Whether the vertical axis starts at zero.
  public var startsAtZero = false

  /// Creates a chart.
  public init(title: String, xLabel: String, yLabel: String, series: [Series]) {
    self.title = title
    self.xLabel = xLabel
    self.yLabel = yLabel
    self.series = series
  }
}

extension LineChart {
  /// All points that can be drawn.
  var points: [Canvas.Point] { series.flatMap(\.points).filter { $0.x.isFinite && $0.y.isFinite } }
}

extension LineChart.Series {
  /// The points between interruptions.
  var segments: [[Canvas.Point]] {
    points.split { !$0.x.isFinite || !$0.y.isFinite }.map(Array.init)
  }
}

/// The positions of the parts of a chart.
struct LineChartLayout {
  /// The text size of the axes, which all other sizes are relative to.
  let textSize: Double
  let horizontal: AxisTicks
  let vertical: AxisTicks
  /// The rectangle of the plot.
  let plot: Canvas.Rectangle

  static let relativeTextSize = 0.032
  static let minTextSize = 11.0
  static let titleScale = 1.4

  init(_ chart: LineChart, on canvas: borrowing Canvas) {
    let (width, height) = (Double(canvas.width), Double(canvas.height))
    let size = max(Self.minTextSize, Self.relativeTextSize * min(width, height))
    let points = chart.points
    horizontal = AxisTicks(
      covering: Self.range(of: points.map(\.x)), maxCount: Int(width / (6 * size)),
      integersOnly: true)
    vertical = AxisTicks(
      covering: Self.range(of: points.map(\.y) + (chart.startsAtZero ? [0] : []), withZero: true),
      maxCount: Int(height / (4 * size)))
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

  /// Returns the range of values, extended to zero unless that would flatten the curve.
  private static func range(of values: [Double], withZero: Bool = false) -> ClosedRange<Double> {
    guard let low = values.min(), let high = values.max() else { return 0...1 }
    return withZero && low > 0 && low < high / 2 ? 0...high : low...high
  }

  /// Returns the horizontal position of a value.
  func x(_ value: Double) -> Double {
    plot.x + plot.width * Self.fraction(of: value, in: horizontal.range)
  }

  /// Returns the vertical position of a value.
  func y(_ value: Double) -> Double {
    plot.maxY - plot.height * Self.fraction(of: value, in: vertical.range)
  }

  private static func fraction(of value: Double, in range: ClosedRange<Double>) -> Double {
    (value - range.lowerBound) / max(range.upperBound - range.lowerBound, .leastNormalMagnitude)
  }
}

extension LineChart {
  /// Returns the chart as an image.
  public func rendered(width: Int = 960, height: Int = 600) throws(DrawingError) -> ImageBuffer {
    let background: ImageBuffer
    do throws(ImageError) {
      background = try .filled(width: width, height: height, red: 255, green: 255, blue: 255)
    } catch {
      throw DrawingError(.image(error))
    }
    var canvas = try Canvas(background)
    canvas.draw(self)
    return try canvas.image
  }
}

extension Canvas {
  /// Draws a chart over the whole canvas, which should have a light color.
  public mutating func draw(_ chart: LineChart) {
    let layout = LineChartLayout(chart, on: self)
    drawGrid(of: layout)
    for series in chart.series { draw(series, layout) }
    drawLabels(of: chart, layout)
    drawLegend(of: chart, layout)
  }

  private mutating func drawGrid(of layout: LineChartLayout) {
    let (plot, size) = (layout.plot, layout.textSize)
    for (value, label) in zip(layout.vertical.values, layout.vertical.labels) {
      let y = layout.y(value)
      strokeLine(
        [Point(x: plot.x, y: y), Point(x: plot.maxX, y: y)], color: .chartGrid, lineWidth: 1)
      let corner = Point(
        x: plot.x - 0.5 * size - width(of: label, size: size), y: y - lineHeight(size: size) / 2)
      drawText(label, at: corner, size: size, color: .chartText)
    }
    for (value, label) in zip(layout.horizontal.values, layout.horizontal.labels) {
      let x = layout.x(value)
      strokeLine(
        [Point(x: x, y: plot.maxY), Point(x: x, y: plot.maxY + 0.35 * size)], color: .chartText,
        lineWidth: 1)
      let corner = Point(x: x - width(of: label, size: size) / 2, y: plot.maxY + 0.5 * size)
      drawText(label, at: corner, size: size, color: .chartText)
    }
    strokeLine(
      [
        Point(x: plot.x, y: plot.y), Point(x: plot.x, y: plot.maxY),
        Point(x: plot.maxX, y: plot.maxY),
      ], color: .chartText, lineWidth: 1.5)
  }

  /// Draws a series.
  ///
  /// Short series and isolated points are marked with dots.
  private mutating func draw(_ series: LineChart.Series, _ layout: LineChartLayout) {
    let hasDots = series.points.count <= 40 && series.lineWidth > 2
    for segment in series.segments {
      let points = segment.map { Point(x: layout.x($0.x), y: layout.y($0.y)) }
      strokeLine(points, color: series.color, lineWidth: series.lineWidth)
      for point in points where hasDots || points.count == 1 {
        fillCircle(center: point, radius: 1.6 * series.lineWidth, color: series.color)
      }
    }
  }

  private mutating func drawLabels(of chart: LineChart, _ layout: LineChartLayout) {
    let (plot, size, line) = (layout.plot, layout.textSize, lineHeight(size: layout.textSize))
    let titleSize = LineChartLayout.titleScale * size
    let title = truncated(chart.title, toWidth: plot.width, size: titleSize)
    drawText(title, at: Point(x: plot.x, y: size), size: titleSize, color: .black)
    drawText(
      chart.yLabel, at: Point(x: size, y: plot.y - line - 0.9 * size), size: size,
      color: .chartText)
    drawText(
      chart.xLabel,
      at: Point(
        x: plot.maxX - width(of: chart.xLabel, size: size), y: plot.maxY + 0.6 * size + line),
      size: size, color: .chartText)
  }

  /// Draws the names of the series above the plot, right-aligned.
  private mutating func drawLegend(of chart: LineChart, _ layout: LineChartLayout) {
    let (plot, size) = (layout.plot, layout.textSize)
    let y = plot.y - lineHeight(size: size) - 0.4 * size
    var x = plot.maxX
    for series in chart.series.reversed() where !series.name.isEmpty {
      x -= width(of: series.name, size: size)
      drawText(series.name, at: Point(x: x, y: y), size: size, color: .chartText)
      let middle = y + lineHeight(size: size) / 2
      strokeLine(
        [Point(x: x - 2 * size, y: middle), Point(x: x - 0.5 * size, y: middle)],
        color: series.color, lineWidth: max(2, series.lineWidth))
      x -= 3.2 * size
    }
  }
}

extension Color {
  /// The color of text and axes.
  fileprivate static let chartText = Color(red: 70, green: 76, blue: 84)
  /// The color of grid lines.
  fileprivate static let chartGrid = Color(red: 226, green: 229, blue: 233)
}
