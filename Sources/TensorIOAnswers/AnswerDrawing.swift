import TensorIOTasks
package import TensorIOCore
package import TensorIODrawing
package import TensorIOImage

/// Draws what a model says of a picture onto the picture.
package struct AnswerDrawing {
  /// How many labels fit a panel when the user does not say.
  package static let usualLabels = 5

  let picture: ImageBuffer
  let answer: TaskAnswering.Answer
  let labels: LabelSelection

  /// A picture and what is said of it.
  package init(picture: ImageBuffer, answer: TaskAnswering.Answer, labels: LabelSelection) {
    (self.picture, self.answer, self.labels) = (picture, answer, labels)
  }

  /// The labels of a stream, steadied over its frames, in place of the answer's own.
  package var steadied: [Classification.Entry]?

  /// The picture with the answer on it; an answer that is nothing but a picture stands for itself.
  package var image: ImageBuffer {
    get throws(DrawingError) {
      let entries = entries
      if entries.isEmpty, answer.detections == nil, let picture = answer.picture { return picture }
      var canvas = try Canvas(enlarging: picture.upright())
      if let detections = answer.detections {
        canvas.draw(detections.annotations)
      } else {
        canvas.draw(ScorePanel(entries))
      }
      return try canvas.image
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

extension DetectionsAnswer {
  /// What is drawn around the things that were found.
  package var annotations: [BoxAnnotation] {
    detections.enumerated().map { place, detection in
      let box = detection.box
      return BoxAnnotation(
        box: .init(x: box.xmin, y: box.ymin, width: box.width, height: box.height),
        label: name(at: place) ?? detection.label, score: Double(detection.score),
        color: Color(detection.color),
        points: detection.keypoints.map { .init(x: $0.x, y: $0.y) })
    }
  }
}
