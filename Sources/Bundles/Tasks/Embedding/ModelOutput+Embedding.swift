import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The embedding, scaled to unit length unless the bundle disables it.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "faces.tiobundle")
  /// let known = try model.run(ImageBuffer(contentsOf: "ada.jpg")).embedding
  /// let other = try model.run(ImageBuffer(contentsOf: "visitor.jpg")).embedding
  /// print(try model.embeddingOptions.compare(known, other).isMatch ?? false)
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the model has no output with the role `embedding`.
  public var embedding: Embedding {
    get throws(ModelError) { try result(of: EmbeddingTask.self) }
  }
}

extension Model {
  /// How embeddings of this model are compared: the metric and threshold of the bundle's task.
  public var embeddingOptions: EmbeddingOptions { EmbeddingOptions(bundle.description.task) }
}
