import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The words that were heard in the recording.
  ///
  /// - Throws: A ``ModelError`` if the model does not spot words.
  public var keywords: Keywords {
    get throws(ModelError) { try result(of: KeywordTask.self) }
  }
}
