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
  /// The origin of the model's embeddings; `nil` if it computes none.
  package var embeddingOrigin: EmbeddingOrigin? {
    outputs.outputName(for: .embedding) == nil ? nil : EmbeddingOrigin(bundle)
  }
}
