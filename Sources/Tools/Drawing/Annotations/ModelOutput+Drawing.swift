public import TensorIOBundle
public import TensorIOCore
public import TensorIOImage
import TensorIOTasks

extension ModelOutput {
  /// Returns an image with the result drawn on it, as `tensorio run --annotate` draws it.
  ///
  /// ```swift
  /// import TensorIO
  /// import TensorIODrawing
  ///
  /// let model = try Model(at: "street.tiobundle")
  /// let image = try ImageBuffer(contentsOf: "street.jpg")
  /// try model.run(image).drawn(on: image).write(to: "street-annotated.png")
  /// ```
  ///
  /// Boxes, outlines, masks and skeletons are drawn where they are, labels and numbers in a panel. If the
  /// result is an image itself, that image is returned. Small images are enlarged so that text is legible.
  ///
  /// - Parameter image: The image that the model has been run on.
  /// - Returns: The annotated image.
  /// - Throws: A `ModelError` if no model returned this output, if it lacks what the task needs, or if
  ///   cairo, FreeType or a font is missing.
  public func drawn(on image: ImageBuffer) throws(ModelError) -> ImageBuffer {
    let processed = try processed()
    return try ResultRenderer(
      sourceImage: image, result: processed.result, labels: processed.labels
    ).image
  }
}
