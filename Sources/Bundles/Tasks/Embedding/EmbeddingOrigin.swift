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

  /// The origin of the embeddings of a bundle.
  package init(_ bundle: ModelBundle) {
    (id, bundles) = (bundle.id, [bundle])
    options = EmbeddingOptions(bundle.description.task)
  }

  /// The origin of the embeddings of a chain; `nil` if its last step computes none.
  init?(_ chain: Chain) {
    guard let step = chain.description.steps.last, let last = chain.models[step.name],
      last.outputs.outputName(for: .embedding) != nil
    else { return nil }
    id = chain.description.id
    bundles = chain.description.steps.compactMap { chain.models[$0.name]?.bundle }
    options = last.embeddingOptions
  }
}

extension Model {
  /// The origin of the model's embeddings; `nil` if it computes none.
  package var embeddingOrigin: EmbeddingOrigin? {
    if let origin = info.attached(EmbeddingOrigin.self) { return origin }
    return outputs.outputName(for: .embedding) == nil ? nil : EmbeddingOrigin(bundle)
  }
}
