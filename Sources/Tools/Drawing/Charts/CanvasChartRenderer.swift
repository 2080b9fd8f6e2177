package import TensorIOBundle
package import TensorIOImage

extension Chart {
  /// Returns the chart as an image on white.
  ///
  /// - Parameters:
  ///   - width: The width in pixels.
  ///   - height: The height in pixels.
  /// - Returns: The image.
  /// - Throws: A `ModelError` if the drawing library is missing or the image is too large.
  package func image(width: Int = 960, height: Int = 600) throws(ModelError) -> ImageBuffer {
    let background: ImageBuffer
    do throws(ImageError) {
      background = try .filled(width: width, height: height, red: 255, green: 255, blue: 255)
    } catch {
      throw .drawingFailed(error)
    }
    var canvas = try Canvas(background)
    canvas.draw(self)
    return try canvas.image
  }
}

extension Canvas {
  /// Draws a chart over the whole canvas, which should have a light color.
  package mutating func draw(_ chart: Chart) {
    switch chart.content {
    case .plot(let plot): draw(plot, titled: chart.title)
    case .matrix(let matrix): draw(matrix, titled: chart.title)
    }
  }
}

/// The text sizes of a chart on a canvas, which all distances are relative to.
private struct ChartTextSizes {
  let regular: Double
  var title: Double { Self.titleScale * regular }

  private static let relativeSize = 0.032
  private static let minSize = 11.0
  private static let titleScale = 1.4

  init(on canvas: borrowing Canvas) {
    regular = max(Self.minSize, Self.relativeSize * Double(min(canvas.width, canvas.height)))
  }
}

extension Canvas {
  /// Draws a title in the upper left corner of the area above a chart.
  private mutating func drawTitle(
    _ title: String, x: Double, width: Double, _ sizes: ChartTextSizes
  ) {
    let title = truncated(title, toWidth: width, size: sizes.title)
    drawText(title, at: Point(x: x, y: sizes.regular), size: sizes.title, color: .black)
  }

  /// The width of the longest of several labels.
  private func maxWidth(of labels: [String], size: Double) -> Double {
    var maxWidth = 0.0
    for label in labels { maxWidth = max(maxWidth, width(of: label, size: size)) }
    return maxWidth
  }
}

// MARK: Plots

extension Canvas {
  private mutating func draw(_ plot: Chart.Plot, titled title: String) {
    let sizes = ChartTextSizes(on: self)
    let layout = layout(of: plot, sizes)
    drawAxes(of: plot, layout, sizes)
    var markerCount = 0
    for mark in plot.marks {
      switch mark {
      case .line(let series): draw(series, layout)
      case .bar(let bar): fillRectangle(layout.rectangle(bar), color: .correctMark)
      case .dot(let dot): draw(dot, layout, sizes)
      case .reference(let start, let end):
        strokeDashedLine(layout.point(start), layout.point(end), color: .chartText)
      case .deviation(let start, let end):
        strokeLine(
          [layout.point(start), layout.point(end)], color: .incorrectMark.opacity(0.7))
      case .marker(let value, let label):
        drawMarker(at: value, label, index: markerCount, layout, sizes)
        markerCount += 1
      }
    }
    drawTitle(title, x: layout.area.x, width: layout.area.width, sizes)
    drawNames(of: plot, layout, sizes)
    drawLegend(of: plot, layout, sizes)
  }

  private func layout(of plot: Chart.Plot, _ sizes: ChartTextSizes) -> PlotLayout {
    let (width, height, size) = (Double(self.width), Double(self.height), sizes.regular)
    let rows = plot.rows(atMost: Int(height / (4 * size)))
    let line = lineHeight(size: size)
    let left = 1.6 * size + maxWidth(of: plot.vertical.labels(of: rows), size: size)
    let top = 1.2 * size + lineHeight(size: sizes.title) + 1.1 * size + line
    let area = Rectangle(
      x: left, y: top, width: width - left - 1.8 * size, height: height - top - 2.2 * line - size)
    return PlotLayout(
      area: area, columns: plot.columns(atMost: Int(width / (6 * size))), rows: rows)
  }

  private mutating func drawAxes(
    of plot: Chart.Plot, _ layout: PlotLayout, _ sizes: ChartTextSizes
  ) {
    let (area, size) = (layout.area, sizes.regular)
    for (value, label) in zip(layout.rows.values, plot.vertical.labels(of: layout.rows)) {
      let y = layout.y(value)
      strokeLine(
        [Point(x: area.x, y: y), Point(x: area.maxX, y: y)], color: .chartGrid, lineWidth: 1)
      let corner = Point(
        x: area.x - 0.5 * size - width(of: label, size: size), y: y - lineHeight(size: size) / 2)
      drawText(label, at: corner, size: size, color: .chartText)
    }
    for (value, label) in zip(layout.columns.values, plot.horizontal.labels(of: layout.columns)) {
      let x = layout.x(value)
      strokeLine(
        [Point(x: x, y: area.maxY), Point(x: x, y: area.maxY + 0.35 * size)], color: .chartText,
        lineWidth: 1)
      let corner = Point(x: x - width(of: label, size: size) / 2, y: area.maxY + 0.5 * size)
      drawText(label, at: corner, size: size, color: .chartText)
    }
    strokeLine(
      [
        Point(x: area.x, y: area.y), Point(x: area.x, y: area.maxY),
        Point(x: area.maxX, y: area.maxY),
      ], color: .chartText, lineWidth: 1.5)
  }

  private mutating func drawNames(
    of plot: Chart.Plot, _ layout: PlotLayout, _ sizes: ChartTextSizes
  ) {
    let (area, size, line) = (layout.area, sizes.regular, lineHeight(size: sizes.regular))
    drawText(
      plot.vertical.name, at: Point(x: size, y: area.y - line - 0.9 * size), size: size,
      color: .chartText)
    let corner = Point(
      x: area.maxX - width(of: plot.horizontal.name, size: size), y: area.maxY + 0.6 * size + line)
    drawText(plot.horizontal.name, at: corner, size: size, color: .chartText)
  }

  /// Draws the names of the lines above the plot, right-aligned.
  private mutating func drawLegend(
    of plot: Chart.Plot, _ layout: PlotLayout, _ sizes: ChartTextSizes
  ) {
    let (area, size) = (layout.area, sizes.regular)
    let y = area.y - lineHeight(size: size) - 0.4 * size
    let left = area.x + width(of: plot.vertical.name, size: size)
    var x = area.maxX
    for series in plot.legend.reversed() {
      let text = series.detail.isEmpty ? series.name : "\(series.name) \(series.detail)"
      x -= width(of: text, size: size)
      guard x - 2 * size > left || series == plot.legend.last else { return }
      drawText(text, at: Point(x: x, y: y), size: size, color: .chartText)
      let middle = y + lineHeight(size: size) / 2
      strokeLine(
        [Point(x: x - 2 * size, y: middle), Point(x: x - 0.5 * size, y: middle)],
        color: series.color, lineWidth: max(2, series.lineWidth))
      x -= 3.2 * size
    }
  }
}

// MARK: Marks

extension Canvas {
  /// Draws a series.
  ///
  /// Isolated points are always marked with dots.
  private mutating func draw(_ series: Chart.Series, _ layout: PlotLayout) {
    for segment in series.segments {
      let points = segment.map(layout.point)
      strokeLine(points, color: series.color, lineWidth: series.lineWidth)
      for point in points where series.hasDots || points.count == 1 {
        fillCircle(center: point, radius: 1.6 * series.lineWidth, color: series.color)
      }
    }
  }

  private mutating func draw(_ dot: Chart.Dot, _ layout: PlotLayout, _ sizes: ChartTextSizes) {
    let radius = sizes.regular * (0.2 + 0.6 * dot.size.limitedToUnit.squareRoot())
    let center = layout.point(dot.center)
    fillCircle(center: center, radius: radius + 1, color: .white)
    fillCircle(center: center, radius: radius, color: .correctMark)
  }

  /// Draws a vertical line; the labels of several are staggered to avoid overlap.
  private mutating func drawMarker(
    at value: Double, _ label: String, index: Int, _ layout: PlotLayout, _ sizes: ChartTextSizes
  ) {
    let (x, area, size) = (layout.x(value), layout.area, sizes.regular)
    strokeDashedLine(
      Point(x: x, y: area.maxY), Point(x: x, y: area.y), color: .incorrectMark)
    let labelWidth = width(of: label, size: size)
    let gap = 0.3 * size
    let isAtEnd = x + gap + labelWidth > area.maxX
    let corner = Point(
      x: isAtEnd ? x - gap - labelWidth : x + gap,
      y: area.y + lineHeight(size: size) * Double(index))
    drawText(label, at: corner, size: size, color: .chartText)
  }

  private mutating func strokeDashedLine(_ start: Point, _ end: Point, color: Color) {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let length = (dx * dx + dy * dy).squareRoot()
    guard length.isFinite, length > 0 else { return }
    for offset in stride(from: 0, to: length, by: 9) {
      let (first, last) = (offset / length, min(1, (offset + 5) / length))
      strokeLine(
        [
          Point(x: start.x + dx * first, y: start.y + dy * first),
          Point(x: start.x + dx * last, y: start.y + dy * last),
        ], color: color, lineWidth: 1.2)
    }
  }
}

extension Chart.Series {
  fileprivate var color: Color {
    let color = Color.forClass(colorIndex)
    return style == .background ? color.mixed(with: .white, fraction: 0.6) : color
  }

  fileprivate var lineWidth: Double { style == .background ? 1 : 2.5 }
}

// MARK: Matrices

extension Canvas {
  private mutating func draw(_ matrix: Chart.Matrix, titled title: String) {
    let sizes = ChartTextSizes(on: self)
    let (size, line) = (sizes.regular, lineHeight(size: sizes.regular))
    let count = Double(max(1, matrix.labels.count))
    let labelLimit = Double(width) / 4
    let labels = matrix.labels.map { truncated($0, toWidth: labelLimit, size: size) }
    let left = 1.8 * size + maxWidth(of: labels, size: size)
    let top = 2.4 * size + lineHeight(size: sizes.title) + 2 * line
    let side = max(0, min(Double(width) - left - size, Double(height) - top - size))
    let cell = side / count
    drawTitle(title, x: size, width: Double(width) - 2 * size, sizes)
    drawText(
      "\(matrix.rowName) ↓  \(matrix.columnName) →",
      at: Point(x: size, y: top - 2 * line - 0.6 * size), size: size, color: .chartText)
    fillRectangle(Rectangle(x: left, y: top, width: side, height: side), color: .matrixBackground)
    for (index, label) in labels.enumerated() where cell >= 0.8 * line {
      let offset = cell * (Double(index) + 0.5)
      drawText(
        label,
        at: Point(
          x: left - 0.4 * size - width(of: label, size: size), y: top + offset - line / 2),
        size: size, color: .chartText)
      let column = truncated(matrix.labels[index], toWidth: cell, size: size)
      drawText(
        column,
        at: Point(
          x: left + offset - width(of: column, size: size) / 2, y: top - line - 0.2 * size),
        size: size, color: .chartText)
    }
    for entry in matrix.cells {
      draw(
        entry,
        in: Rectangle(
          x: left + cell * Double(entry.column), y: top + cell * Double(entry.row), width: cell,
          height: cell
        ).inset(by: min(1, cell / 8)), size: size)
    }
  }

  private mutating func draw(
    _ cell: Chart.Matrix.Cell, in box: Rectangle, size: Double
  ) {
    let color: Color = cell.row == cell.column ? .correctMark : .incorrectMark
    let opacity = 0.25 + 0.35 * cell.intensity.limitedToUnit.squareRoot()
    fillRectangle(box, color: color.opacity(opacity))
    let text = cell.count.abbreviated
    guard width(of: text, size: size) <= box.width, lineHeight(size: size) <= box.height else {
      return
    }
    let corner = Point(
      x: box.x + (box.width - width(of: text, size: size)) / 2,
      y: box.y + (box.height - lineHeight(size: size)) / 2)
    drawText(text, at: corner, size: size, color: .black)
  }
}

extension Color {
  /// The color of text and axes.
  fileprivate static let chartText = Color(red: 70, green: 76, blue: 84)
  /// The color of grid lines.
  fileprivate static let chartGrid = Color(red: 226, green: 229, blue: 233)
  /// The color of bars, dots and cells on the diagonal.
  fileprivate static let correctMark = Color(red: 47, green: 114, blue: 196)
  /// The color of deviations and of cells off the diagonal.
  fileprivate static let incorrectMark = Color(red: 208, green: 88, blue: 42)
  /// The color of empty cells.
  fileprivate static let matrixBackground = Color(red: 247, green: 246, blue: 243)
}
