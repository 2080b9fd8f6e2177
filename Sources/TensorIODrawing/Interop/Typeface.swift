internal import CCairo

/// Owns one `cairo_font_face_t *`: a font file, opened.
@safe final class Typeface: @unchecked Sendable {  // safe because cairo locks a font face itself
  let path: String
  let handle: OpaquePointer
  private let library: CairoLibrary

  /// Opens a font file.
  ///
  /// The corresponding C functions are `FT_New_Face` and `cairo_ft_font_face_create_for_ft_face`.
  init(path: String, in library: CairoLibrary) throws(DrawingError) {
    var problem: FT_Error = 0
    guard let handle = unsafe ccairo_open_font(library.functions, path, &problem) else {
      throw DrawingError(.fontUnreadable(path: path, code: Int(problem)))
    }
    unsafe self.handle = handle
    self.path = path
    self.library = library
  }

  deinit { unsafe library.functions.pointee.cairo_font_face_destroy(handle) }
}
