package import TensorIOBundle

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The libraries and the font for drawing: cairo, FreeType and a font file.
///
/// The libraries are loaded at run time, so programs that do not draw do not need them.
/// ``standard`` uses the system's libraries and font.
///
/// ```swift
/// import TensorIO
/// import TensorIODrawing
///
/// let library = try DrawingLibrary(font: "Fonts/Inter.ttf")
/// let canvas = try Canvas(ImageBuffer(contentsOf: "cat.jpg"), using: library)
/// ```
package struct DrawingLibrary: Sendable {
  let cairo: CairoLibrary
  let typeface: Typeface

  /// Opens the libraries and the font.
  ///
  /// Files that are not specified are searched for.
  ///
  /// The default font is `TENSORIO_FONT`, or else DejaVu Sans.
  package init(
    cairo: String? = nil, freetype: String? = nil, font: String? = nil
  ) throws(ModelError) {
    try self.init(cairo: cairo, freetype: freetype, font: font, search: FontSearch())
  }

  init(
    cairo: String? = nil, freetype: String? = nil, font: String? = nil, search: FontSearch
  ) throws(ModelError) {
    self.cairo = try CairoLibrary(cairo: cairo, freetype: freetype)
    let path = if let font { font } else { try search.path() }
    typeface = try Typeface(path: path, in: self.cairo)
  }

  /// The system's libraries and font, opened on first use.
  package static var standard: DrawingLibrary {
    get throws(ModelError) { try opened.get() }
  }

  private static let opened = Result { () throws(ModelError) in try DrawingLibrary() }

  /// The version of cairo, such as `1.16.0`.
  package var version: String { cairo.version }

  /// The path of the font.
  package var font: String { typeface.path }
}

/// The search for the font of labels.
struct FontSearch {
  /// The default font, which supports most alphabets and is widely installed.
  static let fileName = "DejaVuSans.ttf"
  /// The environment variable that specifies another font.
  static let environmentVariable = "TENSORIO_FONT"

  /// The command that installs the default font.
  static var recoverySuggestion: String {
    #if os(macOS)
      "brew install font-dejavu, or set \(environmentVariable) to a font file"
    #else
      "apt-get install fonts-dejavu-core, or set \(environmentVariable) to a font file"
    #endif
  }

  /// The environment variables.
  let environment: [String: String]
  /// The directories to search, in order.
  let directories: [String]

  init(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    directories: [String]? = nil
  ) {
    self.environment = environment
    self.directories = directories ?? Self.defaultDirectories(home: environment["HOME"])
  }

  /// Returns the path of the font.
  ///
  /// A font specified by the user is returned without checking that it exists.
  func path() throws(ModelError) -> String {
    if let custom = environment[Self.environmentVariable], !custom.isEmpty { return custom }
    let candidates = directories.map { "\($0)/\(Self.fileName)" }
    guard let found = candidates.first(where: FileManager.default.isReadableFile(atPath:)) else {
      throw .fontNotFound(in: directories)
    }
    return found
  }

  private static func defaultDirectories(home: String?) -> [String] {
    let userDirectories = home.map { home in
      ["\(home)/.local/share/fonts", "\(home)/.fonts", "\(home)/Library/Fonts"]
    }
    let systemDirectories = [
      "/usr/share/fonts/truetype/dejavu",  // Debian, Ubuntu
      "/usr/share/fonts/dejavu-sans-fonts",  // Fedora
      "/usr/share/fonts/TTF",  // Arch
      "/usr/share/fonts/dejavu",  // Alpine
      "/usr/local/share/fonts",
      "/Library/Fonts",
      "/opt/homebrew/share/fonts",
    ]
    // The Python package has a part of the font beside its library.
    let packageDirectories = CairoLibrary.ownFolder.map { [$0] }
    return systemDirectories + (userDirectories ?? []) + (packageDirectories ?? [])
  }
}
