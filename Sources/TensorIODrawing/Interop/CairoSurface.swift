import CCairo

/// Owns the pixels of a drawing, a `cairo_surface_t *`, and the pen over it, a `cairo_t *`.
///
/// A pixel is `0xXXRRGGBB` in the machine's own byte order. There is no alpha, so that nothing is
/// premultiplied and what is not drawn on keeps its exact value.
@safe struct CairoSurface: ~Copyable {
  let width: Int
  let height: Int
  let library: DrawingLibrary
  private let surface: OpaquePointer
  private let context: OpaquePointer

  static let bytesPerPixel = 4

  init(width: Int32, height: Int32, library: DrawingLibrary) throws(DrawingError) {
    let table = unsafe library.cairo.functions.pointee
    let surface = unsafe table.cairo_image_surface_create(Int32(CCairoFormatRGB24), width, height)
    let context = unsafe table.cairo_create(surface)
    self.width = Int(width)
    self.height = Int(height)
    self.library = library
    unsafe self.surface = surface
    unsafe self.context = context
    // From here on `deinit` frees both; cairo gives a handle even for what failed.
    try library.cairo.check(unsafe table.cairo_surface_status(surface))
    configureContext()
  }

  deinit {
    unsafe library.cairo.functions.pointee.cairo_destroy(context)
    unsafe library.cairo.functions.pointee.cairo_surface_destroy(surface)
  }

  /// Fails when something that was drawn before did.
  ///
  /// The corresponding C function is `cairo_status`.
  func check() throws(DrawingError) {
    try library.cairo.check(unsafe library.cairo.functions.pointee.cairo_status(context))
  }

  /// Makes a row of pixels into several, each pixel as many times as wide.
  ///
  /// What is left to the right stays as it was. The corresponding C functions are
  /// `cairo_image_surface_get_data` and `cairo_surface_mark_dirty`.
  mutating func setRow(_ y: Int, to pixels: Span<UInt8>, repeating factor: Int) {
    let count = pixels.count / Self.bytesPerPixel
    precondition(factor > 0 && y >= 0 && (y + 1) * factor <= height && count * factor <= width)
    let table = unsafe library.cairo.functions.pointee
    unsafe table.cairo_surface_flush(surface)
    guard let data = unsafe table.cairo_image_surface_get_data(surface) else { return }
    let bytesPerRow = unsafe Int(table.cairo_image_surface_get_stride(surface))
    let first = unsafe data + y * factor * bytesPerRow
    unsafe pixels.withUnsafeBytes { source in
      for x in 0..<count {
        let pixel = unsafe source.loadUnaligned(
          fromByteOffset: x * Self.bytesPerPixel, as: UInt32.self)
        let place = unsafe UnsafeMutableRawPointer(first + x * factor * Self.bytesPerPixel)
        unsafe place.initializeMemory(as: UInt32.self, repeating: pixel, count: factor)
      }
    }
    for copy in stride(from: 1, to: factor, by: 1) {
      unsafe (first + copy * bytesPerRow)
        .update(from: first, count: count * factor * Self.bytesPerPixel)
    }
    unsafe table.cairo_surface_mark_dirty(surface)
  }

  /// All pixels, row by row without gaps.
  borrowing func pixels() -> [UInt8] {
    let table = unsafe library.cairo.functions.pointee
    unsafe table.cairo_surface_flush(surface)
    guard let data = unsafe table.cairo_image_surface_get_data(surface) else { return [] }
    let stride = unsafe Int(table.cairo_image_surface_get_stride(surface))
    let rowBytes = width * Self.bytesPerPixel
    return unsafe [UInt8](unsafeUninitializedCapacity: rowBytes * height) { target, count in
      for y in 0..<height {
        let row = unsafe UnsafeBufferPointer(start: data + y * stride, count: rowBytes)
        _ = unsafe target.extracting((y * rowBytes)..<((y + 1) * rowBytes))
          .initialize(fromContentsOf: row)
      }
      count = rowBytes * height
    }
  }

  /// Lends the pen and cairo's functions.
  @unsafe borrowing func withContext<Result>(_ body: (OpaquePointer, CCairoTable) -> Result) -> Result {
    unsafe body(context, library.cairo.functions.pointee)
  }
}

extension CairoSurface {
  /// What can be filled, or followed with a line.
  enum Path {
    case rectangle(Canvas.Rectangle, cornerRadius: Double = 0)
    case circle(center: Canvas.Point, radius: Double)
    case line([Canvas.Point])
  }

  /// Round ends and corners, and light hinting: letters keep their shape and their widths.
  mutating func configureContext() {
    unsafe withContext { pen, cairo in
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
  mutating func fill(_ outline: Path, with color: Color) {
    unsafe withContext { pen, cairo in
      unsafe setSource(color, pen, cairo)
      unsafe trace(outline, pen, cairo)
      unsafe cairo.cairo_fill(pen)
    }
  }

  /// The corresponding C function is `cairo_stroke`.
  mutating func stroke(_ outline: Path, with color: Color, width: Double) {
    unsafe withContext { pen, cairo in
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

  @unsafe private func trace(_ outline: Path, _ pen: OpaquePointer, _ cairo: CCairoTable) {
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

extension CairoSurface {
  /// What a line of text takes.
  struct TextMetrics {
    /// How far the ink reaches to the left of where the text begins.
    let leftOverhang: Double
    /// From the leftmost to the rightmost, ink or advance.
    let width: Double
    /// From the top of a line to where letters stand.
    let ascent: Double
    /// The height of a line.
    let height: Double
  }

  /// The corresponding C functions are `cairo_text_extents` and `cairo_font_extents`.
  borrowing func measure(_ text: String, size: Double) -> TextMetrics {
    unsafe withContext { pen, cairo in
      unsafe cairo.cairo_set_font_size(pen, size)
      var extents = cairo_text_extents_t()
      unsafe cairo.cairo_text_extents(pen, text, &extents)
      var font = cairo_font_extents_t()
      unsafe cairo.cairo_font_extents(pen, &font)
      let overhang = max(0, -extents.x_bearing)
      let reach = max(extents.x_advance, extents.x_bearing + extents.width)
      return TextMetrics(
        leftOverhang: overhang, width: overhang + max(0, reach), ascent: font.ascent,
        height: font.ascent + font.descent)
    }
  }

  /// Writes a line with the left end of its foot at a point, and nothing outside of a box.
  ///
  /// The corresponding C function is `cairo_show_text`.
  mutating func drawText(
    _ text: String, at foot: Canvas.Point, size: Double, color: Color, clippedTo box: Canvas.Rectangle
  ) {
    unsafe withContext { pen, cairo in
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
