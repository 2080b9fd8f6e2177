import TensorIOCore
import TensorIOSystem

/// Draws charts as SVG in HTML pages.
///
/// Pages need the rules of ``rules``. All text is escaped.
package struct SVGChartRenderer {
  private static let width = 360.0
  private static let height = 290.0
  private static let area = Canvas.Rectangle(x: 48, y: 12, width: 288, height: 232)
  private static let maxColumns = 7
  private static let maxRows = 6

  private let chart: Chart

  /// Creates a renderer of a chart.
  package init(_ chart: Chart) { self.chart = chart }

  /// The chart with its title, legend and caption.
  package var figure: Markup {
    .element(
      "figure", ["class": isWide ? "chart-figure wide" : "chart-figure"],
      .element("h3", [:], Markup(chart.title)), scrollableSVG, legend,
      chart.caption.map { .element("figcaption", [:], Markup($0)) } ?? .empty)
  }

  /// The chart without its title, legend and caption.
  package var svg: Markup {
    switch chart.content {
    case .plot(let plot):
      let layout = PlotLayout(
        area: Self.area, columns: plot.columns(atMost: Self.maxColumns),
        rows: plot.rows(atMost: Self.maxRows))
      let drawing = SVGPlot(plot, layout)
      return svg(
        width: Self.width, height: Self.height,
        [drawing.axes(height: Self.height)] + drawing.marks)
    case .matrix(let matrix):
      let drawing = SVGMatrix(matrix)
      return svg(width: drawing.side, height: drawing.side, drawing.content)
    }
  }

  /// Returns an SVG image with a title and a description for accessibility.
  private func svg(width: Double, height: Double, _ content: [Markup]) -> Markup {
    .element(
      "svg",
      [
        "class": "chart", "role": "img",
        "viewBox": "0 0 \(width.svgCoordinate) \(height.svgCoordinate)",
        "style": "--width:\(width.svgCoordinate)",
      ],
      [
        .element("title", [:], Markup(chart.title)), .element("desc", [:], Markup(chart.summary)),
      ] + content)
  }

  private var isWide: Bool {
    if case .matrix(let matrix) = chart.content { SVGMatrix(matrix).isWide } else { false }
  }

  /// The image, with a scroll bar if it is a matrix, whose width depends on the number of classes.
  private var scrollableSVG: Markup {
    if case .matrix = chart.content {
      .element("div", ["class": "scroll", "tabindex": "0"], svg)
    } else {
      svg
    }
  }

  /// The names of the lines; empty if there are none.
  private var legend: Markup {
    guard case .plot(let plot) = chart.content, !plot.legend.isEmpty else { return .empty }
    return .element(
      "ul", ["class": "legend"],
      plot.legend.map { series in
        .element(
          "li", [:],
          .element(
            "svg", ["class": "legend-key", "viewBox": "0 0 22 8", "aria-hidden": "true"],
            .element("path", ["class": series.cssClass, "d": "M1 4H21"])),
          .element("span", ["class": "label"], Markup(series.name)),
          .element("span", ["class": "detail"], Markup(series.detail)))
      })
  }
}

/// The SVG elements of a plot.
private struct SVGPlot {
  private static let minRadius = 2.5
  private static let radiusScale = 8.0
  private static let markerLabelSpacing = 14.0

  private let plot: Chart.Plot
  private let layout: PlotLayout

  init(_ plot: Chart.Plot, _ layout: PlotLayout) { (self.plot, self.layout) = (plot, layout) }

  /// The elements of the marks, in order.
  var marks: [Markup] {
    var markerCount = 0
    return plot.marks.map { mark in
      switch mark {
      case .line(let series): return path(series)
      case .bar(let bar): return rectangle(bar)
      case .dot(let dot): return circle(dot)
      case .reference(let start, let end): return line(start, end, "reference-line")
      case .deviation(let start, let end): return line(start, end, "deviation")
      case .marker(let value, let label):
        markerCount += 1
        return marker(at: value, label, index: markerCount - 1)
      }
    }
  }

  private func line(_ start: Chart.Point, _ end: Chart.Point, _ cssClass: String) -> Markup {
    line(layout.point(start), layout.point(end), cssClass)
  }

  private func line(_ start: Canvas.Point, _ end: Canvas.Point, _ cssClass: String) -> Markup {
    .element(
      "line",
      [
        "class": cssClass, "x1": start.x.svgCoordinate, "y1": start.y.svgCoordinate,
        "x2": end.x.svgCoordinate, "y2": end.y.svgCoordinate,
      ])
  }

  /// Returns the path of a series, and another for its dots.
  private func path(_ series: Chart.Series) -> Markup {
    let path = SVGPath(series, layout)
    return Markup([
      .element("path", ["class": series.cssClass, "d": path.line]),
      path.dots.isEmpty
        ? .empty : .element("path", ["class": series.cssClass + " point", "d": path.dots]),
    ])
  }

  private func rectangle(_ bar: Chart.Bar) -> Markup {
    let box = layout.rectangle(bar)
    return .element(
      "rect",
      [
        "class": "bar", "x": box.x.svgCoordinate, "y": box.y.svgCoordinate,
        "width": box.width.svgCoordinate, "height": box.height.svgCoordinate,
      ],
      Markup.tooltip(bar.label))
  }

  private func circle(_ dot: Chart.Dot) -> Markup {
    let center = layout.point(dot.center)
    let radius = Self.minRadius + Self.radiusScale * dot.size.limitedToUnit.squareRoot()
    return .element(
      "circle",
      [
        "class": "dot", "cx": center.x.svgCoordinate, "cy": center.y.svgCoordinate,
        "r": radius.svgCoordinate,
      ],
      Markup.tooltip(dot.label))
  }

  /// Returns a vertical line; the labels of several are staggered to avoid overlap.
  private func marker(at value: Double, _ label: String, index: Int) -> Markup {
    let (x, area) = (layout.x(value), layout.area)
    let isAtEnd = x > area.x + area.width * 0.77
    return Markup([
      line(Canvas.Point(x: x, y: area.maxY), Canvas.Point(x: x, y: area.y), "marker"),
      .element(
        "text",
        [
          "class": isAtEnd ? "tick end" : "tick", "x": (x + (isAtEnd ? -4 : 4)).svgCoordinate,
          "y": (area.y + Self.markerLabelSpacing * (Double(index) + 0.7)).svgCoordinate,
        ],
        Markup(label)),
    ])
  }
}

// MARK: Axes

extension SVGPlot {
  /// Returns the grid, the ticks and the names of the axes of an image with a height.
  func axes(height: Double) -> Markup {
    let (columns, rows) = (layout.columns, layout.rows)
    return Markup(
      zip(rows.values.indices, plot.vertical.labels(of: rows)).map(row)
        + zip(columns.values.indices, plot.horizontal.labels(of: columns)).map(column)
        + [names(height: height)])
  }

  private func row(_ index: Int, _ label: String) -> Markup {
    let (area, y) = (layout.area, layout.y(layout.rows.values[index]))
    return Markup([
      line(
        Canvas.Point(x: area.x, y: y), Canvas.Point(x: area.maxX, y: y),
        index == 0 ? "axis" : "grid"),
      .element(
        "text",
        ["class": "tick end", "x": (area.x - 7).svgCoordinate, "y": (y + 4).svgCoordinate],
        Markup(label)),
    ])
  }

  private func column(_ index: Int, _ label: String) -> Markup {
    .element(
      "text",
      [
        "class": "tick middle", "x": layout.x(layout.columns.values[index]).svgCoordinate,
        "y": (layout.area.maxY + 17).svgCoordinate,
      ],
      Markup(label))
  }

  private func names(height: Double) -> Markup {
    let area = layout.area
    let (x, y) = (area.x + area.width / 2, area.y + area.height / 2)
    return Markup([
      .element(
        "text", ["class": "name middle", "x": x.svgCoordinate, "y": (height - 8).svgCoordinate],
        Markup(plot.horizontal.name)),
      .element(
        "text",
        ["class": "name middle", "transform": "translate(13 \(y.svgCoordinate)) rotate(-90)"],
        Markup(plot.vertical.name)),
    ])
  }
}

/// The path of a series, simplified to the resolution of the image.
private struct SVGPath {
  /// The minimum distance between points.
  private static let minDistance = 0.5
  /// The maximum number of points, not counting the last.
  private static let maxPoints = 500

  private struct Step {
    let point: Canvas.Point
    /// Whether the line is interrupted before the point.
    var isStart: Bool
  }

  private let steps: [Step]
  private let hasDots: Bool

  init(_ series: Chart.Series, _ layout: PlotLayout) {
    hasDots = series.hasDots
    var distinct: [Step] = []
    var isStart = true
    for point in series.points {
      guard point.isFinite else {
        isStart = true
        continue
      }
      let step = Step(point: layout.point(point), isStart: isStart)
      if let last = distinct.last, !Self.isFar(step.point, last.point) { continue }
      distinct.append(step)
      isStart = false
    }
    steps = Self.sampled(distinct, last: series.points.last(where: \.isFinite).map(layout.point))
  }

  /// Returns at most ``maxPoints`` steps and the last point.
  private static func sampled(_ steps: [Step], last: Canvas.Point?) -> [Step] {
    let interval = steps.count / maxPoints + 1
    let sampled = stride(from: 0, to: steps.count, by: interval).map { index in
      let skipped = steps[max(0, index - interval + 1)...index]
      return Step(point: steps[index].point, isStart: skipped.contains(where: \.isStart))
    }
    guard let last, let end = sampled.last, end.point != last else { return sampled }
    return sampled + [Step(point: last, isStart: false)]
  }

  private static func isFar(_ first: Canvas.Point, _ second: Canvas.Point) -> Bool {
    max(abs(first.x - second.x), abs(first.y - second.y)) >= minDistance
  }

  /// The commands that draw the line.
  var line: String {
    steps.map { "\($0.isStart ? "M" : "L")\($0.point.svgCoordinates)" }.joined()
  }

  /// The commands that draw dots; points without a line to another one always have a dot.
  var dots: String {
    steps.indices.filter { index in
      let isIsolated =
        steps[index].isStart && (index + 1 == steps.count || steps[index + 1].isStart)
      return hasDots || isIsolated
    }
    .map { "M\(steps[$0].point.svgCoordinates)h0" }.joined()
  }
}

extension Chart.Series {
  /// The number of colors of ``SVGChartRenderer/rules``.
  private static let colorCount = 10

  fileprivate var cssClass: String {
    let index = colorIndex % Self.colorCount
    return "curve s\(index < 0 ? index + Self.colorCount : index)"
      + (style == .background ? " faint" : "")
  }
}

extension Markup {
  /// Returns the tooltip of an element; empty if there is no text.
  fileprivate static func tooltip(_ text: String) -> Markup {
    text.isEmpty ? .empty : .element("title", [:], Markup(text))
  }
}

extension Canvas.Point {
  fileprivate var svgCoordinates: String { "\(x.svgCoordinate) \(y.svgCoordinate)" }
}

extension Double {
  /// The number as an SVG coordinate, with at most one decimal.
  package var svgCoordinate: String {
    let text = formatted(decimals: 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

// MARK: Matrices

/// The SVG elements of a matrix.
private struct SVGMatrix {
  /// The maximum number of classes for which cells contain counts.
  private static let maxClassesWithCounts = 24
  /// The maximum number of classes for which the chart has the regular width.
  private static let maxNarrowClasses = 12
  /// The maximum display width of a label, in characters.
  private static let maxLabelWidth = 14
  private static let characterWidth = 6.4
  /// The range of a cell's opacity, which keeps its count readable.
  private static let opacities = 0.25...0.6

  private let matrix: Chart.Matrix
  private let labels: [String]
  private let margin: Double

  init(_ matrix: Chart.Matrix) {
    self.matrix = matrix
    labels = matrix.labels.map { $0.truncatedMiddle(toDisplayWidth: Self.maxLabelWidth) }
    margin = 30 + Double(labels.map(\.displayWidth).max() ?? 0) * Self.characterWidth
  }

  var isWide: Bool { labels.count > Self.maxNarrowClasses }

  private var hasCounts: Bool { labels.count <= Self.maxClassesWithCounts }

  private var cellSide: Double { isWide ? hasCounts ? 24 : 16 : 30 }

  private func offset(_ index: Int) -> Double { margin + Double(index) * cellSide }

  /// The width and height of the image.
  var side: Double { offset(labels.count) + 4 }

  var content: [Markup] {
    [names, background] + labels.indices.flatMap(axisLabels) + matrix.cells.map(group)
  }

  private var names: Markup {
    let middle = (margin + Double(labels.count) * cellSide / 2).svgCoordinate
    return Markup([
      .element(
        "text", ["class": "name middle", "x": middle, "y": "12"], Markup(matrix.columnName)),
      .element(
        "text",
        ["class": "name middle", "transform": "translate(12 \(middle)) rotate(-90)"],
        Markup(matrix.rowName)),
    ])
  }

  private var background: Markup {
    let side = (Double(labels.count) * cellSide).svgCoordinate
    return .element(
      "rect",
      [
        "class": "matrix-background", "x": margin.svgCoordinate, "y": margin.svgCoordinate,
        "width": side, "height": side,
      ])
  }

  /// Returns the label to the left of a row and above a column.
  private func axisLabels(_ index: Int) -> [Markup] {
    let label = Markup(labels[index])
    let middle = (offset(index) + cellSide / 2 + 4).svgCoordinate
    let edge = (margin - 6).svgCoordinate
    return [
      .element("text", ["class": "tick end", "x": edge, "y": middle], label),
      .element(
        "text", ["class": "tick", "transform": "translate(\(middle) \(edge)) rotate(-90)"], label),
    ]
  }

  private func group(_ cell: Chart.Matrix.Cell) -> Markup {
    .element("g", [:], .tooltip(cell.label), square(cell), hasCounts ? number(cell) : .empty)
  }

  private func square(_ cell: Chart.Matrix.Cell) -> Markup {
    let (minOpacity, maxOpacity) = (Self.opacities.lowerBound, Self.opacities.upperBound)
    let opacity =
      minOpacity + (maxOpacity - minOpacity) * cell.intensity.limitedToUnit.squareRoot()
    return .element(
      "rect",
      [
        "class": cell.row == cell.column ? "correct-cell" : "incorrect-cell",
        "x": (offset(cell.column) + 0.5).svgCoordinate,
        "y": (offset(cell.row) + 0.5).svgCoordinate,
        "width": (cellSide - 1).svgCoordinate, "height": (cellSide - 1).svgCoordinate,
        "fill-opacity": opacity.formatted(decimals: 2),
      ])
  }

  private func number(_ cell: Chart.Matrix.Cell) -> Markup {
    .element(
      "text",
      [
        "class": "count middle", "x": (offset(cell.column) + cellSide / 2).svgCoordinate,
        "y": (offset(cell.row) + cellSide / 2 + 4).svgCoordinate,
      ],
      Markup(cell.count.abbreviated))
  }
}

extension Int {
  /// The count, abbreviated to fit a cell.
  var abbreviated: String {
    switch self {
    case ..<1000: "\(self)"
    case ..<1_000_000: "\(self / 1000)k"
    default: "\(self / 1_000_000)M"
    }
  }
}
