internal import CCairo

extension Surface {
  /// What can be filled, or followed with a line.
  enum Outline {
    case rectangle(Canvas.Rectangle, cornerRadius: Double = 0)
    case circle(center: Canvas.Point, radius: Double)
    case line([Canvas.Point])
  }

  /// Round ends and corners, and light hinting: letters keep their shape and their widths.
  mutating func preparePen() {
    unsafe withPen { pen, cairo in
      unsafe cairo.cairo_set_line_cap(pen, Int32(CCairoLineCapRound))
      unsafe cairo.cairo_set_font_face(pen, library.typeface.handle)
      let options = unsafe cairo.cairo_font_options_create()
      unsafe cairo.cairo_font_options_set_antialias(options, Int32(CCairoAntialiasGray))
      unsafe cairo.cairo_font_options_set_hint_style(options, Int32(CCairoHintStyleSlight))
      unsafe cairo.cairo_font_options_set_hint_metrics(options, Int32(CCairoHintMetricsOff))
      unsafe cairo.cairo_set_font_options(pen, options)
      unsafe cairo.cairo_font_options_destroy(options)
    }
  }

  /// The corresponding C function is `cairo_fill`.
  mutating func fill(_ outline: Outline, with color: Color) {
    unsafe withPen { pen, cairo in
      unsafe setSource(color, pen, cairo)
      unsafe trace(outline, pen, cairo)
      unsafe cairo.cairo_fill(pen)
    }
  }

  /// The corresponding C function is `cairo_stroke`.
  mutating func stroke(_ outline: Outline, with color: Color, width: Double) {
    unsafe withPen { pen, cairo in
      unsafe setSource(color, pen, cairo)
      unsafe cairo.cairo_set_line_width(pen, width)
      unsafe trace(outline, pen, cairo)
      unsafe cairo.cairo_stroke(pen)
    }
  }

  @unsafe func setSource(_ color: Color, _ pen: OpaquePointer, _ cairo: CCairoTable) {
    let full = Double(UInt8.max)
    unsafe cairo.cairo_set_source_rgba(
      pen, Double(color.red) / full, Double(color.green) / full, Double(color.blue) / full,
      color.alpha)
  }

  @unsafe private func trace(_ outline: Outline, _ pen: OpaquePointer, _ cairo: CCairoTable) {
    unsafe cairo.cairo_new_path(pen)
    switch outline {
    case .rectangle(let box, cornerRadius: 0):
      unsafe cairo.cairo_rectangle(pen, box.x, box.y, box.width, box.height)
    case .rectangle(let box, let radius):
      unsafe traceRounded(box, min(radius, box.width / 2, box.height / 2), pen, cairo)
    case .circle(let center, let radius):
      unsafe cairo.cairo_arc(pen, center.x, center.y, radius, 0, 2 * .pi)
    case .line(let points):
      // The first `cairo_line_to` of a path moves.
      for point in points { unsafe cairo.cairo_line_to(pen, point.x, point.y) }
    }
  }

  @unsafe private func traceRounded(
    _ box: Canvas.Rectangle, _ radius: Double, _ pen: OpaquePointer, _ cairo: CCairoTable
  ) {
    let (left, right) = (box.x + radius, box.maxX - radius)
    let (top, bottom) = (box.y + radius, box.maxY - radius)
    unsafe cairo.cairo_arc(pen, right, top, radius, -.pi / 2, 0)
    unsafe cairo.cairo_arc(pen, right, bottom, radius, 0, .pi / 2)
    unsafe cairo.cairo_arc(pen, left, bottom, radius, .pi / 2, .pi)
    unsafe cairo.cairo_arc(pen, left, top, radius, .pi, 3 * .pi / 2)
    unsafe cairo.cairo_close_path(pen)
  }
}
