import TensorIOBundle
package import TensorIOCore
package import TensorIOImage
package import TensorIOTasks

/// Annotates an image with a model's result.
package struct ResultRenderer {
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
    get throws(ModelError) {
      let overlay = result.overlay(labels: labels, smoothedEntries: smoothedEntries)
      if overlay.isEmpty, result.result == nil, let image = result.firstImage { return image }
      let source = sourceImage.upright()
      var canvas = try Canvas(enlarging: source)
      // Results are in pixels of the file, which may have been decoded at a lower resolution.
      canvas.draw(overlay, width: source.originalWidth, height: source.originalHeight)
      return try canvas.image
    }
  }
}

extension ResultRenderer {
  /// The annotated image, with errors converted for the command line.
  package var renderedImage: ImageBuffer {
    get throws(OperationError) {
      try OperationError.rethrowing { () throws(ModelError) in try image }
    }
  }

  /// Writes the annotated image to a file.
  package func write(to path: String) throws(OperationError) {
    let image = try renderedImage
    do throws(ImageError) {
      try image.write(to: path)
    } catch {
      throw OperationError(error.code, error.description, exitCode: .operationFailed)
    }
  }
}
