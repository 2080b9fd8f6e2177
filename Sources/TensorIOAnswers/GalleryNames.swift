package import TensorIOCore
package import TensorIOTasks

/// Names for what a chain finds and embeds, from a gallery.
package struct GalleryNames: Sendable {
  private let known: MemoryGallery
  private let options: EmbeddingOptions

  /// The names of those who are known.
  package init(_ known: MemoryGallery, _ options: EmbeddingOptions) {
    (self.known, self.options) = (known, options)
  }

  /// Whom the gallery takes something for.
  package func recognition(of embedding: Embedding) throws(ModelError) -> Recognition {
    try known.recognize(embedding, options)
  }
}
