internal import TensorIOCore
internal import TensorIODrawing
internal import TensorIOImage

/// Draws what a model says of a picture onto the picture.
struct AnswerDrawing {
  /// How many labels fit a panel when the user does not say.
  static let usualLabels = 5

  let picture: String
  let output: ModelOutput
  let labels: LabelSelection

  /// Writes the picture with the answer on it.
  func write(to path: String) throws(CommandFailure) {
    do {
      let picture = try ImageBuffer(contentsOf: picture)
      try ScorePanel(scores).drawn(on: picture.upright()).write(to: path)
    } catch let error as ImageError {
      throw CommandFailure(error.code, error.description, exit: .run)
    } catch {
      throw CommandFailure("cannot-draw", "\(error)", exit: .run)
    }
  }

  private var scores: [ScorePanel.Row] {
    output.layers.flatMap { layer -> [ScorePanel.Row] in
      if let classification = layer.value.classification {
        var labels = labels
        labels.count = labels.count ?? Self.usualLabels
        return labels.entries(of: classification).map {
          ScorePanel.Row(label: $0.label, score: Double($0.score), index: $0.index)
        }
      }
      return layer.value.number.map { [ScorePanel.Row(label: "\(layer.name) \($0)", score: nil, index: 0)] } ?? []
    }
  }
}
