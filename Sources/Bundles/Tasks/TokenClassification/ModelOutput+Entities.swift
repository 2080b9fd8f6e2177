import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The sections of a text that have a label, in the order of the text.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "names.tiobundle")
  /// for entity in try model.run("Ada lives in London.").entities {
  ///   print(entity.text, entity.label, entity.score)
  /// }
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the model has no output with the role `token_scores`.
  public var entities: [LabeledText] {
    get throws(ModelError) { try result(of: TokenClassificationTask.self) }
  }
}
