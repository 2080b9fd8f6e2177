/// What drawing needs of the system, found and opened: cairo, FreeType and a font.
///
/// Nothing is linked, so a program that never draws neither pays for the libraries nor needs them.
/// ``standard`` opens what the system has, once; make one of your own to use other files.
///
/// ```swift
/// let library = try DrawingLibrary(font: "Fonts/Inter.ttf")
/// let canvas = try Canvas(picture, using: library)
/// ```
public struct DrawingLibrary: Sendable {
  let cairo: CairoLibrary
  let typeface: Typeface

  /// Opens the libraries and the font; what is not named is looked for in the usual places.
  ///
  /// The font is `TENSORIO_FONT`, else DejaVu Sans. What is named and does not work is an error.
  public init(
    cairo: String? = nil, freetype: String? = nil, font: String? = nil
  ) throws(DrawingError) {
    try self.init(cairo: cairo, freetype: freetype, font: font, search: FontSearch())
  }

  init(
    cairo: String? = nil, freetype: String? = nil, font: String? = nil, search: FontSearch
  ) throws(DrawingError) {
    self.cairo = try CairoLibrary(cairo: cairo, freetype: freetype)
    let path = if let font { font } else { try search.path() }
    typeface = try Typeface(path: path, in: self.cairo)
  }

  /// The libraries and the font of this system, opened by the first who asks.
  public static var standard: DrawingLibrary {
    get throws(DrawingError) { try opened.get() }
  }

  private static let opened = Result { () throws(DrawingError) in try DrawingLibrary() }

  /// The version of cairo, as `1.16.0`.
  public var version: String { cairo.version }

  /// The path of the font.
  public var font: String { typeface.path }
}
