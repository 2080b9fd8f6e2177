package import TensorIOBundle

/// Recognizes embeddings with a gallery, which may change while a model is open.
///
/// A matcher that is attached to the source of a model's outputs gives names to its results.
package struct GalleryMatcher: Sendable {
  private let options: EmbeddingOptions
  private let gallery: @Sendable () throws(ModelError) -> InMemoryGallery

  /// Creates a matcher.
  ///
  /// - Parameters:
  ///   - options: The metric and the threshold.
  ///   - gallery: Returns the present gallery, for each embedding.
  package init(
    _ options: EmbeddingOptions,
    _ gallery: @escaping @Sendable () throws(ModelError) -> InMemoryGallery
  ) {
    (self.options, self.gallery) = (options, gallery)
  }

  /// Returns a matcher that knows other entries as well.
  func adding(_ entries: [GalleryEntry]) -> GalleryMatcher {
    GalleryMatcher(options) { [gallery] () throws(ModelError) in
      var all = try gallery()
      for entry in entries { all.enroll(entry.embedding, as: entry.name) }
      return all
    }
  }

  /// Recognizes an embedding.
  package func recognize(_ embedding: Embedding) throws(ModelError) -> Recognition {
    try gallery().recognize(embedding, options)
  }
}
