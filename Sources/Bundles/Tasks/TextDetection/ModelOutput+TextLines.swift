import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The lines of text in the caller's image, in the order in which they are read.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "ocr.tiochain")
  /// for line in try model.run(ImageBuffer(contentsOf: "photo.jpg")).textLines {
  ///   print(line.text ?? "", line.score, line.corners)
  /// }
  /// ```
  ///
  /// The lines of a detector alone have no texts.
  ///
  /// - Throws: A ``ModelError`` if the model has no output with the role `map`, or it does not have a number for each cell of
  ///   a grid.
  public var textLines: TextLines {
    get throws(ModelError) { try result(of: TextDetectionTask.self) }
  }
}
