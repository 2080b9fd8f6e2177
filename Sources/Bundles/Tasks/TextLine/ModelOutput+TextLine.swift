import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The text of an image of one line.
  ///
  /// - Throws: A ``ModelError`` if the model has no output with the role `character_scores`, or its scores do not fit the
  ///   characters of the bundle.
  public var textLine: TextLine {
    get throws(ModelError) { try result(of: TextLineTask.self) }
  }
}
