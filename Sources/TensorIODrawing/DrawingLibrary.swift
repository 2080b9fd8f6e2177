#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

/// Where the font of labels is looked for.
struct FontSearch {
  /// The font: it knows most alphabets, and is on most systems.
  static let fileName = "DejaVuSans.ttf"
  /// The variable that names another font.
  static let environmentVariable = "TENSORIO_FONT"

  /// The values of variables.
  let environment: [String: String]
  /// Where fonts usually are, best first.
  let directories: [String]

  init(
    environment: [String: String] = ProcessInfo.processInfo.environment, directories: [String]? = nil
  ) {
    self.environment = environment
    self.directories = directories ?? Self.defaultDirectories(home: environment["HOME"])
  }

  /// The path of the font.
  ///
  /// One that the user names is taken as it is, never passed over.
  func path() throws(DrawingError) -> String {
    if let named = environment[Self.environmentVariable], !named.isEmpty { return named }
    let candidates = directories.map { "\($0)/\(Self.fileName)" }
    guard let found = candidates.first(where: FileManager.default.isReadableFile(atPath:)) else {
      throw DrawingError(.fontNotFound(searched: directories))
    }
    return found
  }

  private static func defaultDirectories(home: String?) -> [String] {
    let own = home.map { home in
      ["\(home)/.local/share/fonts", "\(home)/.fonts", "\(home)/Library/Fonts"]
    }
    return [
      "/usr/share/fonts/truetype/dejavu",  // Debian, Ubuntu
      "/usr/share/fonts/dejavu-sans-fonts",  // Fedora
      "/usr/share/fonts/TTF",  // Arch
      "/usr/share/fonts/dejavu",  // Alpine
      "/usr/local/share/fonts",
      "/Library/Fonts",
      "/opt/homebrew/share/fonts",
    ] + (own ?? [])
  }
}
