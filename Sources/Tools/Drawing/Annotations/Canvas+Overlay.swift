import TensorIOCore
import TensorIOImage
public import TensorIOTasks

extension Canvas {
  /// Draws the overlay of a result.
  ///
  /// ```swift
  /// import TensorIO
  /// import TensorIODrawing
  ///
  /// let photo = try ImageBuffer(contentsOf: "street.jpg")
  /// var canvas = try Canvas(enlarging: photo)
  /// let car = BoundingBox(xmin: 40, ymin: 20, xmax: 240, ymax: 180)
  /// canvas.draw(
  ///   Overlay([.box(.init(box: car, label: "car", score: 0.87, color: .forClass(2)))]))
  /// ```
  ///
  /// Elements are drawn in order, then boxes with their labels, and panels and legends on top.
  ///
  /// - Parameters:
  ///   - overlay: The overlay, in pixels of the image that it was computed for.
  ///   - width: The width of that image; `nil` if it is the image on the canvas.
  ///   - height: The height of that image; `nil` if it is the image on the canvas.
  public mutating func draw(_ overlay: Overlay, width: Int? = nil, height: Int? = nil) {
    let factors = (
      x: width.map { Double(imageWidth) / Double(max(1, $0)) } ?? 1,
      y: height.map { Double(imageHeight) / Double(max(1, $0)) } ?? 1
    )
    var renderer = OverlayRenderer(
      x: factors.x * Double(scale), y: factors.y * Double(scale),
      lineWidth: BoxLabelLayout(width: self.width, height: self.height).lineWidth)
    for element in overlay.elements { renderer.draw(element, on: &self) }
    draw(renderer.boxes.map { $0.scaled(byX: factors.x, y: factors.y) })
    renderer.drawLabels(on: &self)
  }
}

/// Draws the elements of an overlay, and collects those whose labels must not overlap.
private struct OverlayRenderer {
  /// The factors from pixels of the image to pixels of the canvas.
  let x: Double
  let y: Double
  let lineWidth: Double
  private(set) var boxes: [BoxAnnotation] = []
  private var legend: [Overlay.LegendEntry] = []
  private var panels: [ScorePanel] = []

  /// A dark outline, which makes lines visible on a background of the same color.
  private static let outlineColor = Color.black.opacity(0.45)
  private static let fillOpacity = 0.25

  init(x: Double, y: Double, lineWidth: Double) {
    (self.x, self.y, self.lineWidth) = (x, y, lineWidth)
  }

  mutating func draw(_ element: Overlay.Element, on canvas: inout Canvas) {
    switch element {
    case .box(let box): boxes.append(BoxAnnotation(box))
    case .polygon(let polygon): draw(polygon, on: &canvas)
    case .lines(let lines):
      for line in lines { drawOutline([line.start, line.end], lineWidth, on: &canvas) }
      for line in lines {
        canvas.strokeLine(
          [point(line.start), point(line.end)], color: Color(line.color), lineWidth: lineWidth)
      }
    case .points(let points, let color):
      for center in points.map(point) {
        canvas.fillCircle(center: center, radius: lineWidth * 1.6, color: Self.outlineColor)
        canvas.fillCircle(center: center, radius: lineWidth * 1.25, color: .white)
        canvas.fillCircle(center: center, radius: lineWidth, color: Color(color))
      }
    case .mask(let mask):
      canvas.draw(mask, x: x, y: y)
      legend += mask.legend
    case .scores(let scores):
      panels.append(
        ScorePanel(scores.map { .init(label: $0.label, score: $0.score, index: $0.index) }))
    }
  }

  /// Draws the panels and the legend, which must be on top of everything else.
  func drawLabels(on canvas: inout Canvas) {
    for panel in panels { canvas.draw(panel) }
    canvas.draw(legend)
  }

  private mutating func draw(_ polygon: Overlay.Polygon, on canvas: inout Canvas) {
    guard let first = polygon.corners.first, polygon.corners.count > 2 else { return }
    let outline = polygon.corners + [first]
    let color = Color(polygon.color)
    canvas.fillPolygon(outline.map(point), color: color.opacity(Self.fillOpacity))
    drawOutline(outline, lineWidth, on: &canvas)
    canvas.strokeLine(outline.map(point), color: color, lineWidth: lineWidth)
    guard !polygon.label.isEmpty else { return }
    let score = polygon.score.map { " " + BoxAnnotation.text(forScore: $0) } ?? ""
    let size = BoxLabelLayout(width: canvas.width, height: canvas.height).textSize
    canvas.drawTag(polygon.label + score, at: point(first), size: size, color: color)
  }

  private func drawOutline(
    _ points: [AffineMap.Point], _ width: Double, on canvas: inout Canvas
  ) {
    canvas.strokeLine(
      points.map(point), color: Self.outlineColor, lineWidth: width + max(2, width / 2))
  }

  private func point(_ point: AffineMap.Point) -> Canvas.Point {
    Canvas.Point(x: point.x * x, y: point.y * y)
  }
}

extension Canvas {
  /// Draws text on a colored background, inside the canvas.
  fileprivate mutating func drawTag(_ text: String, at point: Point, size: Double, color: Color) {
    let padding = size * 0.36
    let (width, height) = (
      width(of: text, size: size) + 2 * padding, lineHeight(size: size) + padding
    )
    let box = Rectangle(
      x: max(0, min(point.x, Double(self.width) - width)),
      y: max(0, min(point.y - height, Double(self.height) - height)), width: width, height: height)
    fillRectangle(box, color: color, cornerRadius: padding / 2)
    drawText(
      text, at: Point(x: box.x + padding, y: box.y + padding / 2), size: size,
      color: color.contrastingTextColor)
  }

  /// Draws the pixels of a mask.
  fileprivate mutating func draw(_ mask: Overlay.Mask, x: Double, y: Double) {
    let region = Rectangle(
      x: mask.region.xmin * x, y: mask.region.ymin * y, width: mask.region.width * x,
      height: mask.region.height * y)
    guard let region = region.clamped, mask.width > 0, mask.height > 0 else { return }
    let colors = mask.palette.map { $0.map { Color($0) } }
    let opacity = mask.opacity.limitedToUnit
    // The first and last pixel whose center is in the region.
    let columns = Self.pixels(from: region.x, to: region.maxX, below: width)
    let rows = Self.pixels(from: region.y, to: region.maxY, below: height)
    let sources = columns.map { column in
      let position = (Double(column) + 0.5 - region.x) / region.width * Double(mask.width)
      return max(0, min(mask.width - 1, Int(position)))
    }
    for row in rows {
      let position = (Double(row) + 0.5 - region.y) / region.height * Double(mask.height)
      let start = max(0, min(mask.height - 1, Int(position))) * mask.width
      surface.blendRow(row, from: columns.lowerBound, opacity: opacity, colors) { index in
        index < sources.count ? mask.indices[start + sources[index]] : nil
      }
    }
  }

  /// Returns the pixels whose centers are between two coordinates.
  private static func pixels(from start: Double, to end: Double, below limit: Int) -> Range<Int> {
    let first = max(0, min(Double(limit), (start - 0.5).rounded(.up)))
    let last = max(first, min(Double(limit), (end - 0.5).rounded(.up)))
    return Int(first)..<Int(last)
  }

  /// Draws a legend in the upper right corner.
  fileprivate mutating func draw(_ legend: [Overlay.LegendEntry]) {
    guard !legend.isEmpty else { return }
    let size = max(
      ScorePanelLayout.minTextSize,
      ScorePanelLayout.relativeTextSize * 0.8 * Double(min(width, height)))
    let (rowHeight, padding, swatch) = (size * 1.5, size * 0.7, size * 0.9)
    let rows = max(1, Int((Double(height) * 0.6 - 2 * padding) / rowHeight))
    let shown = legend.prefix(rows)
    let limit = Double(width) * 0.4
    let labels = shown.map { truncated($0.label, toWidth: limit, size: size) }
    let textWidth = labels.map { width(of: $0, size: size) }.max() ?? 0
    let box = Rectangle(
      x: max(0, Double(width) - textWidth - swatch - 3.5 * padding), y: padding / 2,
      width: textWidth + swatch + 3 * padding,
      height: 2 * padding + Double(shown.count) * rowHeight - (rowHeight - size) / 2)
    fillRectangle(box, color: .panelBackground, cornerRadius: 0.5 * size)
    for (row, (entry, label)) in zip(shown, labels).enumerated() {
      let y = box.y + padding + Double(row) * rowHeight
      fillRectangle(
        Rectangle(x: box.x + padding, y: y + (size - swatch) / 2, width: swatch, height: swatch),
        color: Color(entry.color), cornerRadius: swatch / 4)
      drawText(
        label, at: Point(x: box.x + 2 * padding + swatch, y: y - size * 0.15), size: size,
        color: .white)
    }
  }
}
