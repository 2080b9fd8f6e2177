package import TensorIOBundle
package import TensorIOCore

/// What computes the embeddings of a model: its bundle, or the bundles of a chain.
///
/// Embeddings of other files are not comparable, so a gallery refuses them.
package struct EmbeddingOrigin: Sendable {
  /// The identifier of the bundle or chain.
  package let id: String
  /// The bundles whose files determine the embeddings.
  package let bundles: [ModelBundle]
  /// How the embeddings are compared.
  package let options: EmbeddingOptions

  /// The origin of the embeddings of a bundle or a chain.
  package init(_ bundle: ModelBundle) {
    id = bundle.id
    bundles = bundle.parts.isEmpty ? [bundle] : bundle.parts
    options = EmbeddingOptions((bundle.parts.last ?? bundle).description.task)
  }
}

extension Model {
  /// The model that computes embeddings: this one, or the one with which it recognizes speakers; `nil` if there is none.
  package var embeddingModel: Model? {
    if outputs.outputName(for: .embedding) != nil { return self }
    #if Everything
      return speakerModel
    #else
      return nil
    #endif
  }

  /// The origin of the model's embeddings; `nil` if it computes none.
  package var embeddingOrigin: EmbeddingOrigin? {
    embeddingModel.map { EmbeddingOrigin($0.bundle) }
  }
}
