extension Canvas {
  /// Draws the edge of a rectangle; the line lies inside it.
  ///
  /// What is no rectangle, with sides that are negative or not finite, is not drawn.
  public mutating func strokeRectangle(
    _ rectangle: Rectangle, color: Color, lineWidth: Double = 2
  ) {
    guard let box = rectangle.drawable, lineWidth.isFinite, lineWidth > 0 else { return }
    let middle = box.inset(by: lineWidth / 2)
    if middle.width > 0, middle.height > 0 {
      surface.stroke(.rectangle(middle), with: color, width: lineWidth)
    } else {
      surface.fill(.rectangle(box), with: color)
    }
  }

  /// Fills a rectangle, with rounded corners if asked to.
  public mutating func fillRectangle(
    _ rectangle: Rectangle, color: Color, cornerRadius: Double = 0
  ) {
    guard let box = rectangle.drawable, cornerRadius.isFinite else { return }
    surface.fill(.rectangle(box, cornerRadius: max(0, cornerRadius)), with: color)
  }

  /// Draws a line from point to point.
  public mutating func strokeLine(_ points: [Point], color: Color, lineWidth: Double = 2) {
    guard points.count > 1, lineWidth > 0, Self.isDrawable(lineWidth) else { return }
    guard points.allSatisfy({ Self.isDrawable($0.x, $0.y) }) else { return }
    surface.stroke(.line(points), with: color, width: lineWidth)
  }

  /// Draws a circle; the line lies to both sides of it.
  public mutating func strokeCircle(
    center: Point, radius: Double, color: Color, lineWidth: Double = 2
  ) {
    guard Self.isDrawable(center.x, center.y, radius, lineWidth), radius > 0, lineWidth > 0 else {
      return
    }
    surface.stroke(.circle(center: center, radius: radius), with: color, width: lineWidth)
  }

  /// Fills a circle.
  public mutating func fillCircle(center: Point, radius: Double, color: Color) {
    guard Self.isDrawable(center.x, center.y, radius), radius > 0 else { return }
    surface.fill(.circle(center: center, radius: radius), with: color)
  }
}
