extension Canvas {
  /// What lies under lines, so that they are seen on a background of their own colour.
  private static let shade = Color.black.opacity(0.45)

  /// Draws rectangles around things, each with its label and score, in the colour of its kind.
  ///
  /// Coordinates are pixels of the picture. The surest come first in the list and lie on top.
  public mutating func draw(_ annotations: [BoxAnnotation]) {
    var layout = BoxLayout(width: width, height: height)
    let drawn = annotations.compactMap { scaled($0) }
    for annotation in drawn.reversed() { drawOutline(annotation, layout) }
    // The surest choose their places first.
    let places = drawn.map { annotation in chip(for: annotation, &layout) }
    for (annotation, place) in zip(drawn, places).reversed() {
      drawLabel(annotation, in: place, layout)
    }
    for annotation in drawn { drawPoints(annotation, layout) }
  }

  /// The annotation where the canvas shows it.
  private func scaled(_ annotation: BoxAnnotation) -> BoxAnnotation? {
    guard annotation.box.drawable != nil else { return nil }
    let factor = Double(scale)
    var scaled = annotation
    scaled.box = Rectangle(
      x: annotation.box.x * factor, y: annotation.box.y * factor,
      width: annotation.box.width * factor, height: annotation.box.height * factor)
    scaled.points = annotation.points.map { Point(x: $0.x * factor, y: $0.y * factor) }
    return scaled
  }

  private mutating func drawOutline(_ annotation: BoxAnnotation, _ layout: BoxLayout) {
    let edge = max(1, layout.lineWidth / 2)
    strokeRectangle(
      annotation.box.inset(by: -edge), color: Self.shade, lineWidth: layout.lineWidth + 2 * edge)
    strokeRectangle(annotation.box, color: annotation.color, lineWidth: layout.lineWidth)
  }

  private func chip(for annotation: BoxAnnotation, _ layout: inout BoxLayout) -> Rectangle {
    let size = layout.textSize
    let text = width(of: caption(of: annotation, layout), size: size)
    return layout.place(
      width: text + 2 * layout.padding, height: lineHeight(size: size) + layout.padding,
      on: annotation.box)
  }

  private func caption(of annotation: BoxAnnotation, _ layout: BoxLayout) -> String {
    let score = "  " + annotation.scoreText
    let room = Double(width) - 2 * layout.padding - width(of: score, size: layout.textSize)
    return shortened(annotation.label, toWidth: max(0, room), size: layout.textSize) + score
  }

  private mutating func drawLabel(
    _ annotation: BoxAnnotation, in place: Rectangle, _ layout: BoxLayout
  ) {
    fillRectangle(place.inset(by: -1), color: Self.shade, cornerRadius: layout.padding / 2)
    fillRectangle(place, color: annotation.color, cornerRadius: layout.padding / 2)
    text(
      caption(of: annotation, layout),
      at: Point(x: place.x + layout.padding, y: place.y + layout.padding / 2),
      size: layout.textSize, color: annotation.color.contrasting)
  }

  private mutating func drawPoints(_ annotation: BoxAnnotation, _ layout: BoxLayout) {
    for point in annotation.points {
      let radius = layout.lineWidth * 1.4
      fillCircle(center: point, radius: radius + layout.lineWidth * 0.7, color: Self.shade)
      fillCircle(center: point, radius: radius + layout.lineWidth * 0.35, color: .white)
      fillCircle(center: point, radius: radius, color: annotation.color)
    }
  }
}
