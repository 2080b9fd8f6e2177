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

/// How large lines and letters are on a canvas, and where the labels of boxes go.
struct BoxLabelLayout {
  /// The size of letters, and with it of everything else.
  let textSize: Double
  /// How thick the line around something is.
  let lineWidth: Double
  private let canvas: Canvas.Rectangle
  private var occupied: [Canvas.Rectangle] = []

  /// Relative to the shorter side of the canvas, but never too small to be seen.
  private static let relativeTextSize = 0.028
  private static let minTextSize = 12.0
  private static let relativeLineWidth = 0.0042
  private static let minLineWidth = 2.0
  /// How many labels may stand above or below one another before they cover each other.
  private static let maxStackedLabels = 6
  /// Everything else relative to the size of letters.
  private static let padding = 0.36

  var padding: Double { Self.padding * textSize }

  init(width: Int, height: Int) {
    canvas = Canvas.Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
    let side = Double(min(width, height))
    textSize = max(Self.minTextSize, (Self.relativeTextSize * side).rounded())
    lineWidth = max(Self.minLineWidth, (Self.relativeLineWidth * side).rounded())
  }

  /// Where a label goes: above its box, or else at one of the other edges, or farther up and down;
  /// the first place inside the canvas where no other label is.
  mutating func placeLabel(width: Double, height: Double, near box: Canvas.Rectangle) -> Canvas.Rectangle {
    let right = max(box.x, box.maxX - width)
    let corners = [
      (box.x, box.y - height), (box.x, box.y), (box.x, box.maxY), (right, box.y - height),
      (right, box.maxY - height), (right, box.maxY), (box.x, box.maxY - height),
    ]
    let stacked = (1...Self.maxStackedLabels).flatMap { number in
      let distance = Double(number) * height
      return [(box.x, box.y - height - distance), (box.x, box.maxY + distance)]
    }
    let places = (corners + stacked).map { x, y in
      Canvas.Rectangle(
        x: max(0, min(x, canvas.width - width)), y: y, width: width, height: height)
    }
    let inside = places.filter { $0.y >= 0 && $0.maxY <= canvas.height }
    let free = inside.first { place in !occupied.contains { $0.overlaps(place) } }
    let chosen = free ?? inside.first ?? places[1]
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
  /// What lies under lines, so that they are seen on a background of their own colour.
  private static let outlineColor = Color.black.opacity(0.45)

  /// Draws rectangles around things, each with its label and score, in the colour of its kind.
  ///
  /// Coordinates are pixels of the picture. The surest come first in the list and lie on top.
  public mutating func draw(_ annotations: [BoxAnnotation]) {
    var layout = BoxLabelLayout(width: width, height: height)
    let drawn = annotations.compactMap { scaled($0) }
    for annotation in drawn.reversed() { drawOutline(annotation, layout) }
    // The surest choose their places first.
    let places = drawn.map { annotation in labelRectangle(for: annotation, &layout) }
    for (annotation, place) in zip(drawn, places).reversed() {
      drawLabel(annotation, in: place, layout)
    }
    for annotation in drawn { drawPoints(annotation, layout) }
  }

  /// The annotation where the canvas shows it.
  private func scaled(_ annotation: BoxAnnotation) -> BoxAnnotation? {
    guard annotation.box.clamped != nil else { return nil }
    let factor = Double(scale)
    var scaled = annotation
    scaled.box = Rectangle(
      x: annotation.box.x * factor, y: annotation.box.y * factor,
      width: annotation.box.width * factor, height: annotation.box.height * factor)
    scaled.points = annotation.points.map { Point(x: $0.x * factor, y: $0.y * factor) }
    return scaled
  }

  private mutating func drawOutline(_ annotation: BoxAnnotation, _ layout: BoxLabelLayout) {
    let edge = max(1, layout.lineWidth / 2)
    strokeRectangle(
      annotation.box.inset(by: -edge), color: Self.outlineColor, lineWidth: layout.lineWidth + 2 * edge)
    strokeRectangle(annotation.box, color: annotation.color, lineWidth: layout.lineWidth)
  }

  private func labelRectangle(for annotation: BoxAnnotation, _ layout: inout BoxLabelLayout) -> Rectangle {
    let size = layout.textSize
    let text = width(of: labelText(of: annotation, layout), size: size)
    return layout.placeLabel(
      width: text + 2 * layout.padding, height: lineHeight(size: size) + layout.padding,
      near: annotation.box)
  }

  private func labelText(of annotation: BoxAnnotation, _ layout: BoxLabelLayout) -> String {
    let score = "  " + annotation.scoreText
    let room = Double(width) - 2 * layout.padding - width(of: score, size: layout.textSize)
    return truncated(annotation.label, toWidth: max(0, room), size: layout.textSize) + score
  }

  private mutating func drawLabel(
    _ annotation: BoxAnnotation, in place: Rectangle, _ layout: BoxLabelLayout
  ) {
    fillRectangle(place.inset(by: -1), color: Self.outlineColor, cornerRadius: layout.padding / 2)
    fillRectangle(place, color: annotation.color, cornerRadius: layout.padding / 2)
    drawText(
      labelText(of: annotation, layout),
      at: Point(x: place.x + layout.padding, y: place.y + layout.padding / 2),
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
