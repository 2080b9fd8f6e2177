import COptionalLibraries
import TensorIOBundle

/// The pixels of a canvas (`cairo_surface_t`) and its drawing context (`cairo_t`).
///
/// A pixel is `0xXXRRGGBB` in native byte order. There is no alpha channel, so pixels are not
/// premultiplied and keep their exact values unless they are drawn on.
@safe struct CairoSurface: ~Copyable {
  let width: Int
  let height: Int
  let library: DrawingLibrary
  private let surface: OpaquePointer
  private let context: OpaquePointer

  static let bytesPerPixel = 4

  init(width: Int32, height: Int32, library: DrawingLibrary) throws(ModelError) {
    let table = unsafe library.cairo.functions.pointee
    let surface = unsafe table.cairo_image_surface_create(Int32(CCairoFormatRGB24), width, height)
    let context = unsafe table.cairo_create(surface)
    self.width = Int(width)
    self.height = Int(height)
    self.library = library
    unsafe self.surface = surface
    unsafe self.context = context
    // From here on, `deinit` frees both. Cairo returns a valid handle even on failure.
    try library.cairo.check(unsafe table.cairo_surface_status(surface))
    configureContext()
  }

  deinit {
    unsafe library.cairo.functions.pointee.cairo_destroy(context)
    unsafe library.cairo.functions.pointee.cairo_surface_destroy(surface)
  }

  /// Throws an error if a previous drawing operation failed.
  ///
  /// The corresponding C function is `cairo_status`.
  func check() throws(ModelError) {
    try library.cairo.check(unsafe library.cairo.functions.pointee.cairo_status(context))
  }

  /// Writes a row of pixels, enlarged by an integer factor in both directions.
  ///
  /// Pixels to the right are not changed. The corresponding C functions are
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
        let target = unsafe UnsafeMutableRawPointer(first + x * factor * Self.bytesPerPixel)
        unsafe target.initializeMemory(as: UInt32.self, repeating: pixel, count: factor)
      }
    }
    for copy in stride(from: 1, to: factor, by: 1) {
      unsafe (first + copy * bytesPerRow)
        .update(from: first, count: count * factor * Self.bytesPerPixel)
    }
    unsafe table.cairo_surface_mark_dirty(surface)
  }

  /// Mixes the colors of a palette into a row of pixels.
  ///
  /// - Parameters:
  ///   - y: The row.
  ///   - x: The first pixel.
  ///   - opacity: The opacity of the colors, from 0 to 1.
  ///   - palette: The colors; `nil`, and indices beyond the palette, change nothing.
  ///   - index: Returns the index in the palette of a pixel, counted from the first; `nil` ends the
  ///     row.
  mutating func blendRow(
    _ y: Int, from x: Int, opacity: Double, _ palette: [Color?], _ index: (Int) -> UInt8?
  ) {
    precondition(y >= 0 && y < height && x >= 0)
    let table = unsafe library.cairo.functions.pointee
    unsafe table.cairo_surface_flush(surface)
    guard let data = unsafe table.cairo_image_surface_get_data(surface) else { return }
    let stride = unsafe Int(table.cairo_image_surface_get_stride(surface))
    let row = unsafe UnsafeMutableRawPointer(data + y * stride)
    let weight = UInt32((opacity * 256).rounded())
    for column in x..<max(x, width) {
      guard let entry = index(column - x) else { break }
      guard Int(entry) < palette.count, let color = palette[Int(entry)] else { continue }
      let offset = column * Self.bytesPerPixel
      let old = unsafe row.load(fromByteOffset: offset, as: UInt32.self)
      let red = Self.mix(old >> 16, color.red, weight) << 16
      let green = Self.mix(old >> 8, color.green, weight) << 8
      let mixed = red | green | Self.mix(old, color.blue, weight)
      unsafe row.storeBytes(of: mixed, toByteOffset: offset, as: UInt32.self)
    }
    unsafe table.cairo_surface_mark_dirty(surface)
  }

  /// Returns the mean of the lowest byte of a pixel and a channel, which has a weight of up to 256.
  private static func mix(_ old: UInt32, _ channel: UInt8, _ weight: UInt32) -> UInt32 {
    ((old & 0xFF) * (256 - weight) + UInt32(channel) * weight + 128) >> 8
  }

  /// Returns all pixels without gaps between rows.
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

  /// Calls a closure with the drawing context and cairo's functions.
  @unsafe borrowing func withContext<Result>(
    _ body: (OpaquePointer, CCairoTable) -> Result
  ) -> Result {
    unsafe body(context, library.cairo.functions.pointee)
  }
}

extension CairoSurface {
  /// A shape that can be filled or stroked.
  enum Path {
    case rectangle(Canvas.Rectangle, cornerRadius: Double = 0)
    case circle(center: Canvas.Point, radius: Double)
    case line([Canvas.Point])
  }

  /// Configures round line caps and light hinting, which preserves the shapes and widths of
  /// letters.
  mutating func configureContext() {
    unsafe withContext { context, cairo in
      unsafe cairo.cairo_set_line_cap(context, Int32(CCairoLineCapRound))
      unsafe cairo.cairo_set_font_face(context, library.typeface.handle)
      let options = unsafe cairo.cairo_font_options_create()
      unsafe cairo.cairo_font_options_set_antialias(options, Int32(CCairoAntialiasGray))
      unsafe cairo.cairo_font_options_set_hint_style(options, Int32(CCairoHintStyleSlight))
      unsafe cairo.cairo_font_options_set_hint_metrics(options, Int32(CCairoHintMetricsOff))
      unsafe cairo.cairo_set_font_options(context, options)
      unsafe cairo.cairo_font_options_destroy(options)
    }
  }

  /// Fills a path.
  ///
  /// The corresponding C function is `cairo_fill`.
  mutating func fill(_ outline: Path, with color: Color) {
    unsafe withContext { context, cairo in
      unsafe setSource(color, context, cairo)
      unsafe trace(outline, context, cairo)
      unsafe cairo.cairo_fill(context)
    }
  }

  /// Strokes a path.
  ///
  /// The corresponding C function is `cairo_stroke`.
  mutating func stroke(_ outline: Path, with color: Color, width: Double) {
    unsafe withContext { context, cairo in
      unsafe setSource(color, context, cairo)
      unsafe cairo.cairo_set_line_width(context, width)
      unsafe trace(outline, context, cairo)
      unsafe cairo.cairo_stroke(context)
    }
  }

  @unsafe func setSource(_ color: Color, _ context: OpaquePointer, _ cairo: CCairoTable) {
    let full = Double(UInt8.max)
    unsafe cairo.cairo_set_source_rgba(
      context, Double(color.red) / full, Double(color.green) / full, Double(color.blue) / full,
      color.alpha)
  }

  @unsafe private func trace(_ outline: Path, _ context: OpaquePointer, _ cairo: CCairoTable) {
    unsafe cairo.cairo_new_path(context)
    switch outline {
    case .rectangle(let box, cornerRadius: 0):
      unsafe cairo.cairo_rectangle(context, box.x, box.y, box.width, box.height)
    case .rectangle(let box, let radius):
      unsafe traceRounded(box, min(radius, box.width / 2, box.height / 2), context, cairo)
    case .circle(let center, let radius):
      unsafe cairo.cairo_arc(context, center.x, center.y, radius, 0, 2 * .pi)
    case .line(let points):
      // The first `cairo_line_to` of a path is a move.
      for point in points { unsafe cairo.cairo_line_to(context, point.x, point.y) }
    }
  }

  @unsafe private func traceRounded(
    _ box: Canvas.Rectangle, _ radius: Double, _ context: OpaquePointer, _ cairo: CCairoTable
  ) {
    let (left, right) = (box.x + radius, box.maxX - radius)
    let (top, bottom) = (box.y + radius, box.maxY - radius)
    unsafe cairo.cairo_arc(context, right, top, radius, -.pi / 2, 0)
    unsafe cairo.cairo_arc(context, right, bottom, radius, 0, .pi / 2)
    unsafe cairo.cairo_arc(context, left, bottom, radius, .pi / 2, .pi)
    unsafe cairo.cairo_arc(context, left, top, radius, .pi, 3 * .pi / 2)
    unsafe cairo.cairo_close_path(context)
  }
}

extension CairoSurface {
  /// The metrics of a line of text.
  struct TextMetrics {
    /// The distance by which the ink extends to the left of the origin.
    let leftOverhang: Double
    /// The width of the ink or the advance, whichever is larger.
    let width: Double
    /// The distance from the top of the line to the baseline.
    let ascent: Double
    /// The height of the line.
    let height: Double
  }

  /// Returns the metrics of a line.
  ///
  /// The corresponding C functions are `cairo_text_extents` and `cairo_font_extents`.
  borrowing func measure(_ text: String, size: Double) -> TextMetrics {
    unsafe withContext { context, cairo in
      unsafe cairo.cairo_set_font_size(context, size)
      var extents = cairo_text_extents_t()
      unsafe cairo.cairo_text_extents(context, text, &extents)
      var font = cairo_font_extents_t()
      unsafe cairo.cairo_font_extents(context, &font)
      let overhang = max(0, -extents.x_bearing)
      let reach = max(extents.x_advance, extents.x_bearing + extents.width)
      return TextMetrics(
        leftOverhang: overhang, width: overhang + max(0, reach), ascent: font.ascent,
        height: font.ascent + font.descent)
    }
  }

  /// Draws a line of text with its baseline starting at a point, clipped to a box.
  ///
  /// The baseline is rounded to a whole pixel, for which the glyphs are hinted. Cairo 1.16 rounds it
  /// itself; 1.18 draws glyphs at fractions of a pixel, and ignores fractional clips for them.
  ///
  /// The corresponding C function is `cairo_show_text`.
  mutating func drawText(
    _ text: String, at baseline: Canvas.Point, size: Double, color: Color,
    clippedTo box: Canvas.Rectangle
  ) {
    unsafe withContext { context, cairo in
      unsafe cairo.cairo_save(context)
      unsafe cairo.cairo_new_path(context)
      unsafe cairo.cairo_rectangle(context, box.x, box.y, box.width, box.height)
      unsafe cairo.cairo_clip(context)
      unsafe setSource(color, context, cairo)
      unsafe cairo.cairo_set_font_size(context, size)
      unsafe cairo.cairo_move_to(context, baseline.x, (baseline.y + 0.5).rounded(.down))
      unsafe cairo.cairo_show_text(context, text)
      unsafe cairo.cairo_restore(context)
    }
  }
}
