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

  /// Writes the picture with the answer on it.
  func write(to path: String) throws(CommandFailure) {
    do {
      var canvas = try Canvas(enlarging: picture.upright())
      if let detections = answer.detections {
        canvas.draw(detections.annotations)
      } else {
        canvas.draw(ScorePanel(entries))
      }
      try canvas.image.write(to: path)
    } catch let error as ImageError {
      throw CommandFailure(error.code, error.description, exit: .run)
    } catch {
      throw CommandFailure("cannot-draw", "\(error)", exit: .run)
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
    return labels.entries(of: classification).map {
      ScorePanel.Entry(label: $0.label, score: Double($0.score), index: $0.index)
    }
  }
}
