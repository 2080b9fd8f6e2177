import TensorIOCore
internal import TensorIOAnswers
internal import TensorIODrawing
internal import TensorIOImage

extension AnswerDrawing {
  /// The picture with the answer on it, or why a command stops there.
  var drawn: ImageBuffer {
    get throws(CommandFailure) {
      do throws(DrawingError) {
        return try image
      } catch {
        throw CommandFailure("cannot-draw", "\(error)", exit: .run)
      }
    }
  }

  /// Writes the picture with the answer on it.
  func write(to path: String) throws(CommandFailure) {
    let image = try drawn
    do throws(ImageError) {
      try image.write(to: path)
    } catch {
      throw CommandFailure(error.code, error.description, exit: .run)
    }
  }
}
