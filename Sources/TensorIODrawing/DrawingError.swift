public import TensorIOImage

/// Why something could not be drawn.
public struct DrawingError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// A library is not there, or is not what it should be.
    case libraryMissing(Library, path: String, problem: String)
    /// No font lies in any of the usual places.
    case fontMissing(lookedIn: [String])
    /// A font that was asked for cannot be read.
    case fontUnreadable(path: String, code: Int)
    /// Cairo gave up, mostly for want of memory.
    case failed(problem: String)
    /// The picture that was drawn on makes no picture again.
    case picture(ImageError)
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
