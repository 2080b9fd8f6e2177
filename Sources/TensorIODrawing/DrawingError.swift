public import TensorIOImage

/// Why something could not be drawn.
public struct DrawingError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// A library is not there, or is not what it should be.
    case libraryMissing(Library, path: String, message: String)
    /// No font lies in any of the usual places.
    case fontNotFound(searched: [String])
    /// A font that was asked for cannot be read.
    case fontUnreadable(path: String, code: Int)
    /// Cairo gave up, mostly for want of memory.
    case failed(message: String)
    /// The picture that was drawn on makes no picture again.
    case image(ImageError)
  }

  /// What drawing needs of the system.
  public enum Library: String, Sendable, Hashable {
    /// Shapes.
    case cairo
    /// Letters.
    case freetype = "FreeType"
  }

  /// What went wrong.
  public let reason: Reason

  init(_ reason: Reason) {
    self.reason = reason
  }
}

extension DrawingError: CustomStringConvertible {
  /// One line: what is the matter, and what to do about it.
  public var description: String {
    switch reason {
    case .libraryMissing(let library, let path, let problem):
      "drawing needs \(library.rawValue), but \(path) cannot be used (\(problem)): \(library.recoverySuggestion)"
    case .fontNotFound(let folders):
      "drawing needs the font \(FontSearch.fileName), which is in none of "
        + "\(folders.joined(separator: ", ")): \(Self.fontRecoverySuggestion)"
    case .fontUnreadable(let path, let code):
      "the font \(path) cannot be read (FreeType error \(code)): "
        + "\(FontSearch.environmentVariable) names a TrueType or OpenType file"
    case .failed(let problem):
      "drawing failed: \(problem)"
    case .image(let error):
      "the drawing makes no picture: \(error)"
    }
  }

  /// The command that puts it right, where one does.
  public var recoverySuggestion: String? {
    switch reason {
    case .libraryMissing(let library, _, _): library.recoverySuggestion
    case .fontNotFound: Self.fontRecoverySuggestion
    case .fontUnreadable, .failed, .image: nil
    }
  }

  private static var fontRecoverySuggestion: String {
    #if os(macOS)
      "brew install font-dejavu, or let \(FontSearch.variable) name a font file"
    #else
      "apt-get install fonts-dejavu-core, or let \(FontSearch.environmentVariable) name a font file"
    #endif
  }
}

extension DrawingError.Library {
  /// The command that brings the library.
  var recoverySuggestion: String {
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
