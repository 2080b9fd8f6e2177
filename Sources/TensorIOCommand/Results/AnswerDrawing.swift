internal import TensorIOCore
internal import TensorIODrawing
internal import TensorIOImage

/// Draws what a model says of a picture onto the picture.
struct AnswerDrawing {
  /// How many labels fit a panel when the user does not say.
  static let usualLabels = 5

  let picture: ImageBuffer
  let answer: TaskAnswering.Answer
  let labels: LabelSelection

  /// The labels of a stream, steadied over its frames, in place of the answer's own.
  var steadied: [Classification.Entry]?

  /// Writes the picture with the answer on it.
  func write(to path: String) throws(CommandFailure) {
    let image = try image
    do throws(ImageError) {
      try image.write(to: path)
    } catch {
      throw CommandFailure(error.code, error.description, exit: .run)
    }
  }

  /// The picture with the answer on it; an answer that is nothing but a picture stands for itself.
  var image: ImageBuffer {
    get throws(CommandFailure) {
      let entries = entries
      if entries.isEmpty, answer.detections == nil, let picture = answer.picture { return picture }
      do throws(DrawingError) {
        var canvas = try Canvas(enlarging: picture.upright())
        if let detections = answer.detections {
          canvas.draw(detections.annotations)
        } else {
          canvas.draw(ScorePanel(entries))
        }
        return try canvas.image
      } catch {
        throw CommandFailure("cannot-draw", "\(error)", exit: .run)
      }
    }
  }

  private var entries: [ScorePanel.Entry] {
    answer.output.layers.flatMap { layer -> [ScorePanel.Entry] in
      if let classification = layer.value.classification { return entries(of: classification) }
      return layer.value.number.map { [ScorePanel.Entry(label: layer.name, score: $0)] } ?? []
    }
  }

  private func entries(of classification: Classification) -> [ScorePanel.Entry] {
    var labels = labels
    labels.count = labels.count ?? Self.usualLabels
    return (steadied ?? labels.entries(of: classification)).map {
      ScorePanel.Entry(label: $0.label, score: Double($0.score), index: $0.index)
    }
  }
}

extension TaskAnswering.Answer {
  /// The first picture among the outputs.
  fileprivate var picture: ImageBuffer? { output.layers.lazy.compactMap(\.value.image).first }
}
