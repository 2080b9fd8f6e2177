package import TensorIOCore
package import TensorIOImage
package import TensorIOTasks

/// Draws what a model says of a picture onto the picture.
package struct ResultRenderer {
  /// How many labels fit a panel when the user does not say.
  package static let defaultLabelCount = 5

  let sourceImage: ImageBuffer
  let result: TaskPostprocessor.ProcessedOutput
  let labels: LabelSelection

  /// A picture and what is said of it.
  package init(sourceImage: ImageBuffer, result: TaskPostprocessor.ProcessedOutput, labels: LabelSelection) {
    (self.sourceImage, self.result, self.labels) = (sourceImage, result, labels)
  }

  /// The labels of a stream, steadied over its frames, in place of the answer's own.
  package var smoothedEntries: [Classification.Entry]?

  /// The picture with the answer on it; an answer that is nothing but a picture stands for itself.
  package var image: ImageBuffer {
    get throws(DrawingError) {
      let entries = entries
      if entries.isEmpty, result.detections == nil, let picture = result.firstImage { return picture }
      var canvas = try Canvas(enlarging: sourceImage.upright())
      if let detections = result.detections {
        canvas.draw(detections.boxAnnotations)
      } else {
        canvas.draw(ScorePanel(entries))
      }
      return try canvas.image
    }
  }

  private var entries: [ScorePanel.Entry] {
    result.output.layers.flatMap { layer -> [ScorePanel.Entry] in
      if let classification = layer.value.classification { return entries(of: classification) }
      return layer.value.number.map { [ScorePanel.Entry(label: layer.name, score: $0)] } ?? []
    }
  }

  private func entries(of classification: Classification) -> [ScorePanel.Entry] {
    var labels = labels
    labels.maxCount = labels.maxCount ?? Self.defaultLabelCount
    return (smoothedEntries ?? labels.entries(of: classification)).map {
      ScorePanel.Entry(label: $0.label, score: Double($0.score), index: $0.index)
    }
  }
}

extension TaskPostprocessor.ProcessedOutput {
  /// The first picture among the outputs.
  fileprivate var firstImage: ImageBuffer? { output.layers.lazy.compactMap(\.value.image).first }
}

extension DetectionResult {
  /// What is drawn around the things that were found.
  package var boxAnnotations: [BoxAnnotation] {
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

extension ResultRenderer {
  /// The picture with the answer on it, or why a command stops there.
  package var renderedImage: ImageBuffer {
    get throws(OperationError) {
      do throws(DrawingError) {
        return try image
      } catch {
        throw OperationError("cannot-draw", "\(error)", exitCode: .inferenceFailed)
      }
    }
  }

  /// Writes the picture with the answer on it.
  package func write(to path: String) throws(OperationError) {
    let image = try renderedImage
    do throws(ImageError) {
      try image.write(to: path)
    } catch {
      throw OperationError(error.code, error.description, exitCode: .inferenceFailed)
    }
  }
}
