internal import CCairo

extension Surface {
  /// What a line of text takes.
  struct TextMeasure {
    /// How far the ink reaches to the left of where the text begins.
    let overhang: Double
    /// From the leftmost to the rightmost, ink or advance.
    let width: Double
    /// From the top of a line to where letters stand.
    let ascent: Double
    /// The height of a line.
    let height: Double
  }

  /// The corresponding C functions are `cairo_text_extents` and `cairo_font_extents`.
  borrowing func measure(_ text: String, size: Double) -> TextMeasure {
    unsafe withPen { pen, cairo in
      unsafe cairo.cairo_set_font_size(pen, size)
      var extents = cairo_text_extents_t()
      unsafe cairo.cairo_text_extents(pen, text, &extents)
      var font = cairo_font_extents_t()
      unsafe cairo.cairo_font_extents(pen, &font)
      let overhang = max(0, -extents.x_bearing)
      let reach = max(extents.x_advance, extents.x_bearing + extents.width)
      return TextMeasure(
        overhang: overhang, width: overhang + max(0, reach), ascent: font.ascent,
        height: font.ascent + font.descent)
    }
  }

  /// Writes a line with the left end of its foot at a point, and nothing outside of a box.
  ///
  /// The corresponding C function is `cairo_show_text`.
  mutating func write(
    _ text: String, at foot: Canvas.Point, size: Double, color: Color, inside box: Canvas.Rectangle
  ) {
    unsafe withPen { pen, cairo in
      unsafe cairo.cairo_save(pen)
      unsafe cairo.cairo_new_path(pen)
      unsafe cairo.cairo_rectangle(pen, box.x, box.y, box.width, box.height)
      unsafe cairo.cairo_clip(pen)
      unsafe setSource(color, pen, cairo)
      unsafe cairo.cairo_set_font_size(pen, size)
      unsafe cairo.cairo_move_to(pen, foot.x, foot.y)
      unsafe cairo.cairo_show_text(pen, text)
      unsafe cairo.cairo_restore(pen)
    }
  }
}
