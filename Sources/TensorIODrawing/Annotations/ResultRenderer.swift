package import TensorIOCore
package import TensorIOImage
package import TensorIOTasks

/// Annotates an image with a model's result.
package struct ResultRenderer {
  /// The default number of labels in a panel.
  package static let defaultLabelCount = 5

  let sourceImage: ImageBuffer
  let result: TaskPostprocessor.ProcessedOutput
  let labels: LabelSelection

  /// Creates a renderer for an image and its result.
  package init(
    sourceImage: ImageBuffer, result: TaskPostprocessor.ProcessedOutput, labels: LabelSelection
  ) {
    (self.sourceImage, self.result, self.labels) = (sourceImage, result, labels)
  }

  /// Labels smoothed over the frames of a stream, which replace those of the result.
  package var smoothedEntries: [Classification.Entry]?

  /// The annotated image, or the output image if the result consists of nothing else.
  package var image: ImageBuffer {
    get throws(DrawingError) {
      let entries = entries
      if entries.isEmpty, result.detections == nil, let image = result.firstImage { return image }
      let source = sourceImage.upright()
      var canvas = try Canvas(enlarging: source)
      if let detections = result.detections {
        // Boxes are in pixels of the file, which may have been decoded at a lower resolution.
        let scale = (
          x: Double(source.width) / Double(source.originalWidth),
          y: Double(source.height) / Double(source.originalHeight)
        )
        canvas.draw(detections.boxAnnotations.map { $0.scaled(byX: scale.x, y: scale.y) })
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
  /// The first image among the outputs.
  fileprivate var firstImage: ImageBuffer? { output.layers.lazy.compactMap(\.value.image).first }
}

extension DetectionResult {
  /// The annotations of the detected objects.
  package var boxAnnotations: [BoxAnnotation] {
    detections.enumerated().map { index, detection in
      let box = detection.box
      return BoxAnnotation(
        box: .init(x: box.xmin, y: box.ymin, width: box.width, height: box.height),
        label: name(at: index) ?? detection.label, score: Double(detection.score),
        color: Color(detection.color),
        points: detection.keypoints.map { .init(x: $0.x, y: $0.y) })
    }
  }
}

extension ResultRenderer {
  /// The annotated image, with errors converted for the command line.
  package var renderedImage: ImageBuffer {
    get throws(OperationError) {
      do throws(DrawingError) {
        return try image
      } catch {
        throw OperationError("drawing-failed", "\(error)", exitCode: .inferenceFailed)
      }
    }
  }

  /// Writes the annotated image to a file.
  package func write(to path: String) throws(OperationError) {
    let image = try renderedImage
    do throws(ImageError) {
      try image.write(to: path)
    } catch {
      throw OperationError(error.code, error.description, exitCode: .inferenceFailed)
    }
  }
}
