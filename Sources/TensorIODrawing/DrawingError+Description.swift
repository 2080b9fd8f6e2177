extension DrawingError: CustomStringConvertible {
  /// One line: what is the matter, and what to do about it.
  public var description: String {
    switch reason {
    case .libraryMissing(let library, let path, let problem):
      "drawing needs \(library.rawValue), but \(path) cannot be used (\(problem)): \(library.remedy)"
    case .fontMissing(let folders):
      "drawing needs the font \(FontSearch.fileName), which is in none of "
        + "\(folders.joined(separator: ", ")): \(Self.fontRemedy)"
    case .fontUnreadable(let path, let code):
      "the font \(path) cannot be read (FreeType error \(code)): "
        + "\(FontSearch.variable) names a TrueType or OpenType file"
    case .failed(let problem):
      "drawing failed: \(problem)"
    case .picture(let error):
      "the drawing makes no picture: \(error)"
    }
  }

  /// The command that puts it right, where one does.
  public var remedy: String? {
    switch reason {
    case .libraryMissing(let library, _, _): library.remedy
    case .fontMissing: Self.fontRemedy
    case .fontUnreadable, .failed, .picture: nil
    }
  }

  private static var fontRemedy: String {
    #if os(macOS)
      "brew install font-dejavu, or let \(FontSearch.variable) name a font file"
    #else
      "apt-get install fonts-dejavu-core, or let \(FontSearch.variable) name a font file"
    #endif
  }
}

extension DrawingError.Library {
  /// The command that brings the library.
  var remedy: String {
    #if os(macOS)
      switch self {
      case .cairo: "brew install cairo"
      case .freetype: "brew install freetype"
      }
    #else
      switch self {
      case .cairo: "apt-get install libcairo2"
      case .freetype: "apt-get install libfreetype6"
      }
    #endif
  }
}
