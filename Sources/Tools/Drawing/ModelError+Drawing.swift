public import TensorIOBundle
import TensorIOImage

extension ModelError {
  /// Drawing failed, often because cairo, FreeType or a font is not installed;
  /// `recoverySuggestion` is then the command that installs it.
  public static let drawingFailed = Code("drawing-failed")

  /// Returns an error of cairo, usually a lack of memory.
  static func drawingFailed(_ message: Message) -> ModelError {
    ModelError(.output, .init(drawingFailed, message))
  }

  /// Returns an error for a library that is missing or unusable.
  static func drawingLibraryMissing(
    _ name: String, path: String, detail: String, install: String
  ) -> ModelError {
    drawingFailed(
      """
      drawing requires \(name), but \(path, as: "path") cannot be opened (\(detail)); install it \
      with: \(install, as: "suggestion")
      """)
  }

  /// Returns an error for a default font that is in none of the directories.
  static func fontNotFound(in directories: [String]) -> ModelError {
    drawingFailed(
      """
      drawing requires the font \(FontSearch.fileName), which is not in \
      \(directories.joined(separator: ", ")); install it with: \
      \(FontSearch.recoverySuggestion, as: "suggestion")
      """)
  }

  /// Returns an error for a font that FreeType cannot read.
  static func fontUnreadable(_ path: String, code: Int) -> ModelError {
    drawingFailed(
      """
      cannot read the font \(path, as: "path") (FreeType error \(code)); set \
      \(FontSearch.environmentVariable) to a TrueType or OpenType file
      """)
  }

  /// Returns an error for an image that cannot be drawn on.
  static func drawingFailed(_ error: ImageError) -> ModelError {
    drawingFailed("drawing failed: \(error)")
  }
}
