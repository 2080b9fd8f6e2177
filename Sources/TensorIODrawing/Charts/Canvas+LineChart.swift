public import TensorIOImage

extension LineChart {
  /// The chart as a picture of its own.
  public func drawn(width: Int = 960, height: Int = 600) throws(DrawingError) -> ImageBuffer {
    let paper: ImageBuffer
    do throws(ImageError) {
      paper = try .filled(width: width, height: height, red: 255, green: 255, blue: 255)
    } catch {
      throw DrawingError(.picture(error))
    }
    var canvas = try Canvas(paper)
    canvas.draw(self)
    return try canvas.image
  }
}

extension Canvas {
  /// Draws a chart over the whole canvas, whose colour should be light.
  public mutating func draw(_ chart: LineChart) {
    let layout = LineChartLayout(chart, on: self)
    drawGrid(of: layout)
    for series in chart.series { draw(series, layout) }
    drawWords(of: chart, layout)
    drawLegend(of: chart, layout)
  }

  private mutating func drawGrid(of layout: LineChartLayout) {
    let (plot, size) = (layout.plot, layout.textSize)
    for (value, label) in zip(layout.vertical.values, layout.vertical.labels) {
      let y = layout.y(value)
      strokeLine([Point(x: plot.x, y: y), Point(x: plot.maxX, y: y)], color: .grid, lineWidth: 1)
      let corner = Point(
        x: plot.x - 0.5 * size - width(of: label, size: size), y: y - lineHeight(size: size) / 2)
      text(label, at: corner, size: size, color: .ink)
    }
    for (value, label) in zip(layout.horizontal.values, layout.horizontal.labels) {
      let x = layout.x(value)
      strokeLine(
        [Point(x: x, y: plot.maxY), Point(x: x, y: plot.maxY + 0.35 * size)], color: .ink,
        lineWidth: 1)
      let corner = Point(x: x - width(of: label, size: size) / 2, y: plot.maxY + 0.5 * size)
      text(label, at: corner, size: size, color: .ink)
    }
    strokeLine(
      [
        Point(x: plot.x, y: plot.y), Point(x: plot.x, y: plot.maxY),
        Point(x: plot.maxX, y: plot.maxY),
      ], color: .ink, lineWidth: 1.5)
  }

  /// A curve; where it has few points, those show as dots, and a lone point can be seen at all.
  private mutating func draw(_ series: LineChart.Series, _ layout: LineChartLayout) {
    let hasDots = series.points.count <= 40 && series.lineWidth > 2
    for run in series.runs {
      let places = run.map { Point(x: layout.x($0.x), y: layout.y($0.y)) }
      strokeLine(places, color: series.color, lineWidth: series.lineWidth)
      for place in places where hasDots || places.count == 1 {
        fillCircle(center: place, radius: 1.6 * series.lineWidth, color: series.color)
      }
    }
  }

  private mutating func drawWords(of chart: LineChart, _ layout: LineChartLayout) {
    let (plot, size, line) = (layout.plot, layout.textSize, lineHeight(size: layout.textSize))
    let titleSize = LineChartLayout.titleScale * size
    let title = shortened(chart.title, toWidth: plot.width, size: titleSize)
    text(title, at: Point(x: plot.x, y: size), size: titleSize, color: .black)
    text(
      chart.y, at: Point(x: size, y: plot.y - line - 0.9 * size), size: size, color: .ink)
    text(
      chart.x,
      at: Point(x: plot.maxX - width(of: chart.x, size: size), y: plot.maxY + 0.6 * size + line),
      size: size, color: .ink)
  }

  /// The names of the curves, in a row above the plot and at its right end.
  private mutating func drawLegend(of chart: LineChart, _ layout: LineChartLayout) {
    let (plot, size) = (layout.plot, layout.textSize)
    let y = plot.y - lineHeight(size: size) - 0.4 * size
    var x = plot.maxX
    for series in chart.series.reversed() where !series.name.isEmpty {
      x -= width(of: series.name, size: size)
      text(series.name, at: Point(x: x, y: y), size: size, color: .ink)
      let middle = y + lineHeight(size: size) / 2
      strokeLine(
        [Point(x: x - 2 * size, y: middle), Point(x: x - 0.5 * size, y: middle)],
        color: series.color, lineWidth: max(2, series.lineWidth))
      x -= 3.2 * size
    }
  }
}

extension Color {
  /// What is written and what holds the curves.
  fileprivate static let ink = Color(red: 70, green: 76, blue: 84)
  /// What leads the eye from a number to a curve.
  fileprivate static let grid = Color(red: 226, green: 229, blue: 233)
}
