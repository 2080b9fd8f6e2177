internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOTasks

extension GalleryNames {
  static let flag = Flag(
    "gallery", "FILE", "says who is in this gallery, of what a chain finds and embeds")

  /// The names of a gallery for the answers of a chain.
  init(
    _ gallery: String, for chain: String, _ opening: BundleOpening, _ console: Console
  ) throws(CommandFailure) {
    guard Chain.isNamed(chain) else {
      throw .usage(
        "--gallery names what a chain finds; `tensorio gallery recognise` asks for whole pictures")
    }
    let embedder = try Embedder(chain, opening, console)
    self.init(try GalleryFile(gallery).entries(for: embedder.identity), embedder.options)
  }
}
