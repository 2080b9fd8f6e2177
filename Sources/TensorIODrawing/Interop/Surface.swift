internal import CCairo

/// Owns the pixels of a drawing, a `cairo_surface_t *`, and the pen over it, a `cairo_t *`.
///
/// A pixel is `0xXXRRGGBB` in the machine's own byte order. There is no alpha, so that nothing is
/// premultiplied and what is not drawn on keeps its exact value.
@safe struct Surface: ~Copyable {
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
    preparePen()
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
  @unsafe borrowing func withPen<Result>(_ body: (OpaquePointer, CCairoTable) -> Result) -> Result {
    unsafe body(context, library.cairo.functions.pointee)
  }
}
