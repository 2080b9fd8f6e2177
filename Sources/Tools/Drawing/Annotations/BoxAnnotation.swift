/// A labeled rectangle around an object in an image.
///
/// ```swift
/// import TensorIO
/// import TensorIODrawing
///
/// var canvas = try Canvas(ImageBuffer(contentsOf: "street.jpg"))
/// let car = Canvas.Rectangle(x: 40, y: 20, width: 200, height: 160)
/// canvas.draw([BoxAnnotation(box: car, label: "car", score: 0.87, color: .forClass(2))])
/// ```
public struct BoxAnnotation: Sendable, Hashable {
  /// The rectangle around the object.
  public var box: Canvas.Rectangle
  /// The label of the object.
  public var label: String
  /// The score of the label, from 0 to 1.
  public var score: Double
  /// The color of the rectangle.
  public var color: Color
  /// The keypoints of the object.
  public var points: [Canvas.Point]

  /// Creates an annotation.
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
  /// Returns the annotation for an image whose sides are multiplied by factors.
  func scaled(byX x: Double, y: Double) -> BoxAnnotation {
    var scaled = self
    scaled.box = Canvas.Rectangle(
      x: box.x * x, y: box.y * y, width: box.width * x, height: box.height * y)
    scaled.points = points.map { Canvas.Point(x: $0.x * x, y: $0.y * y) }
    return scaled
  }

  /// The score in whole percent if it is between 0 and 1, and as a number otherwise.
  var scoreText: String { Self.text(forScore: score) }

  /// Returns a score in whole percent if it is between 0 and 1, and as a number otherwise.
  static func text(forScore score: Double) -> String {
    guard (0...1).contains(score) else {
      return ScorePanel.Entry(label: "", score: score).scoreText
    }
    return "\(Int((score * 100).rounded())) %"
  }
}

/// The sizes of lines and text on a canvas, and the positions of labels.
struct BoxLabelLayout {
  /// The text size, which all other sizes are relative to.
  let textSize: Double
  /// The width of the rectangle's line.
  let lineWidth: Double
  private let canvas: Canvas.Rectangle
  private var occupied: [Canvas.Rectangle] = []

  /// Relative to the shorter side of the canvas.
  private static let relativeTextSize = 0.028
  private static let minTextSize = 12.0
  private static let relativeLineWidth = 0.0042
  private static let minLineWidth = 2.0
  /// The maximum number of labels that are stacked above or below a box to avoid overlaps.
  private static let maxStackedLabels = 6
  /// Relative to the text size.
  private static let padding = 0.36

  var padding: Double { Self.padding * textSize }

  init(width: Int, height: Int) {
    canvas = Canvas.Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
    let side = Double(min(width, height))
    textSize = max(Self.minTextSize, (Self.relativeTextSize * side).rounded())
    lineWidth = max(Self.minLineWidth, (Self.relativeLineWidth * side).rounded())
  }

  /// Returns the rectangle for a label: above its box, at one of its other edges, or farther above
  /// or below.
  ///
  /// The first position inside the canvas that overlaps no other label is chosen.
  mutating func placeLabel(
    width: Double, height: Double, near box: Canvas.Rectangle
  ) -> Canvas.Rectangle {
    let right = max(box.x, box.maxX - width)
    let corners = [
      (box.x, box.y - height), (box.x, box.y), (box.x, box.maxY), (right, box.y - height),
      (right, box.maxY - height), (right, box.maxY), (box.x, box.maxY - height),
    ]
    let stacked = (1...Self.maxStackedLabels).flatMap { number in
      let distance = Double(number) * height
      return [(box.x, box.y - height - distance), (box.x, box.maxY + distance)]
    }
    let candidates = (corners + stacked).map { x, y in
      Canvas.Rectangle(
        x: max(0, min(x, canvas.width - width)), y: y, width: width, height: height)
    }
    let inside = candidates.filter { $0.y >= 0 && $0.maxY <= canvas.height }
    let free = inside.first { candidate in !occupied.contains { $0.overlaps(candidate) } }
    let chosen = free ?? inside.first ?? candidates[1]
    occupied.append(chosen)
    return chosen
  }
}

extension Canvas.Rectangle {
  fileprivate func overlaps(_ other: Canvas.Rectangle) -> Bool {
    x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
  }
}

extension Canvas {
  /// A dark outline, which makes lines visible on a background of the same color.
  private static let outlineColor = Color.black.opacity(0.45)

  /// Draws rectangles around objects, with labels and scores.
  ///
  /// Coordinates are pixels of the image. The annotations must be in descending order of score;
  /// those with higher scores are drawn on top.
  public mutating func draw(_ annotations: [BoxAnnotation]) {
    var layout = BoxLabelLayout(width: width, height: height)
    let drawn = annotations.compactMap { scaled($0) }
    for annotation in drawn.reversed() { drawOutline(annotation, layout) }
    // Annotations with higher scores get the best label positions.
    let labelRectangles = drawn.map { annotation in labelRectangle(for: annotation, &layout) }
    for (annotation, rectangle) in zip(drawn, labelRectangles).reversed() {
      drawLabel(annotation, in: rectangle, layout)
    }
    for annotation in drawn { drawPoints(annotation, layout) }
  }

  /// Returns the annotation in canvas coordinates; `nil` if its box cannot be drawn.
  private func scaled(_ annotation: BoxAnnotation) -> BoxAnnotation? {
    guard annotation.box.clamped != nil else { return nil }
    return annotation.scaled(byX: Double(scale), y: Double(scale))
  }

  private mutating func drawOutline(_ annotation: BoxAnnotation, _ layout: BoxLabelLayout) {
    let edge = max(1, layout.lineWidth / 2)
    strokeRectangle(
      annotation.box.inset(by: -edge), color: Self.outlineColor,
      lineWidth: layout.lineWidth + 2 * edge)
    strokeRectangle(annotation.box, color: annotation.color, lineWidth: layout.lineWidth)
  }

  private func labelRectangle(
    for annotation: BoxAnnotation, _ layout: inout BoxLabelLayout
  ) -> Rectangle {
    let size = layout.textSize
    let text = width(of: labelText(of: annotation, layout), size: size)
    return layout.placeLabel(
      width: text + 2 * layout.padding, height: lineHeight(size: size) + layout.padding,
      near: annotation.box)
  }

  private func labelText(of annotation: BoxAnnotation, _ layout: BoxLabelLayout) -> String {
    let score = "  " + annotation.scoreText
    let maxWidth = Double(width) - 2 * layout.padding - width(of: score, size: layout.textSize)
    return truncated(annotation.label, toWidth: max(0, maxWidth), size: layout.textSize) + score
  }

  private mutating func drawLabel(
    _ annotation: BoxAnnotation, in rectangle: Rectangle, _ layout: BoxLabelLayout
  ) {
    fillRectangle(
      rectangle.inset(by: -1), color: Self.outlineColor, cornerRadius: layout.padding / 2)
    fillRectangle(rectangle, color: annotation.color, cornerRadius: layout.padding / 2)
    drawText(
      labelText(of: annotation, layout),
      at: Point(x: rectangle.x + layout.padding, y: rectangle.y + layout.padding / 2),
      size: layout.textSize, color: annotation.color.contrastingTextColor)
  }

  private mutating func drawPoints(_ annotation: BoxAnnotation, _ layout: BoxLabelLayout) {
    for point in annotation.points {
      let radius = layout.lineWidth * 1.4
      fillCircle(center: point, radius: radius + layout.lineWidth * 0.7, color: Self.outlineColor)
      fillCircle(center: point, radius: radius + layout.lineWidth * 0.35, color: .white)
      fillCircle(center: point, radius: radius, color: annotation.color)
    }
  }
}
