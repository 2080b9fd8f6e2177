internal import TensorIO
internal import TensorIOCore
internal import TensorIOTasks

/// Names for what a chain finds and embeds, from a gallery.
struct GalleryNames: Sendable {
  static let flag = Flag(
    "gallery", "FILE", "says who is in this gallery, of what a chain finds and embeds")

  private let known: MemoryGallery
  private let options: EmbeddingOptions

  /// The names of a gallery for the answers of a chain.
  init(
    _ gallery: String, for chain: String, _ opening: BundleOpening, _ console: Console
  ) throws(CommandFailure) {
    guard Chain.isNamed(chain) else {
      throw .usage(
        "--gallery names what a chain finds; `tensorio gallery recognise` asks for whole pictures")
    }
    let embedder = try Embedder(chain, opening, console)
    known = try GalleryFile(gallery).entries(for: embedder.identity)
    options = embedder.options
  }

  /// Whom the gallery takes something for.
  func recognition(of embedding: Embedding) throws(ModelError) -> Recognition {
    try known.recognize(embedding, options)
  }
}
