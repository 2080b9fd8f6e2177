public import TensorIOImage

/// An error from drawing.
public struct DrawingError: Error, Sendable, Hashable {
  /// The reason for an error.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// A library is missing or unusable.
    case libraryMissing(Library, path: String, message: String)
    /// The font is in none of the default directories.
    case fontNotFound(searched: [String])
    /// The specified font cannot be read.
    case fontUnreadable(path: String, code: Int)
    /// Cairo reported an error, usually a lack of memory.
    case failed(message: String)
    /// The image is invalid or too large.
    case image(ImageError)
  }

  /// The libraries that drawing requires.
  public enum Library: String, Sendable, Hashable {
    /// The library that draws shapes.
    case cairo
    /// The library that renders text.
    case freetype = "FreeType"
  }

  /// The reason for the error.
  public let reason: Reason

  init(_ reason: Reason) {
    self.reason = reason
  }
}

extension DrawingError: CustomStringConvertible {
  /// One line with the reason and a suggestion.
  public var description: String {
    switch reason {
    case .libraryMissing(let library, let path, let reason):
      "drawing requires \(library.rawValue), but \(path) cannot be opened (\(reason)); install it "
        + "with: \(library.recoverySuggestion)"
    case .fontNotFound(let directories):
      "drawing requires the font \(FontSearch.fileName), which is not in "
        + "\(directories.joined(separator: ", ")); install it with: \(Self.fontRecoverySuggestion)"
    case .fontUnreadable(let path, let code):
      "cannot read the font \(path) (FreeType error \(code)); set "
        + "\(FontSearch.environmentVariable) to a TrueType or OpenType file"
    case .failed(let reason):
      "drawing failed: \(reason)"
    case .image(let error):
      "drawing failed: \(error)"
    }
  }

  /// A command that fixes the error, if there is one.
  public var recoverySuggestion: String? {
    switch reason {
    case .libraryMissing(let library, _, _): library.recoverySuggestion
    case .fontNotFound: Self.fontRecoverySuggestion
    case .fontUnreadable, .failed, .image: nil
    }
  }

  private static var fontRecoverySuggestion: String {
    #if os(macOS)
      "brew install font-dejavu, or set \(FontSearch.environmentVariable) to a font file"
    #else
      "apt-get install fonts-dejavu-core, or set \(FontSearch.environmentVariable) to a font file"
    #endif
  }
}

extension DrawingError.Library {
  /// The command that installs the library.
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
