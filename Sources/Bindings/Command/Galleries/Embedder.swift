import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOTasks

/// Computes the embeddings of images or texts with a bundle, or with a chain that detects regions and embeds
/// each of them.
struct Embedder {
  /// The identity that a gallery is bound to.
  let identity: EmbedderIdentity
  /// The options for comparing its embeddings.
  let options: EmbeddingOptions
  private let model: Model

  /// Opens the bundle or chain named by an argument.
  init(
    _ argument: String, _ opener: ModelOpener, _ console: Console
  ) throws(OperationError) {
    let opened = try opener.model(at: argument, console)
    guard let model = opened.embeddingModel, let origin = model.embeddingOrigin else {
      throw OperationError(
        ModelError(
          .bundle,
          .unmetRequirement(
            "a gallery requires an output with the role embedding, of a bundle or of the last step of a chain"
          ),
          file: argument))
    }
    self.model = model
    (identity, options) = (try EmbedderIdentity(origin), origin.options)
  }

  /// Whether the bundle takes text instead of images.
  var takesText: Bool {
    model.callerInputs.count == 1 && model.textInputs.contains(model.callerInputs[0].name)
  }

  /// Returns the embedded regions of an image, or the embedding of a text.
  func embeddedRegions(in image: String, _ console: Console) throws(OperationError)
    -> [EmbeddedRegion]
  {
    do throws(ModelError) {
      let layers = model.callerInputs
      guard layers.count == 1, let layer = layers.first else {
        throw ModelError(.input, .inputCount(expected: layers.count, actual: 1))
      }
      let parser = InputValueParser(textInputs: model.textInputs, console)
      return try model.run(.value(parser.value(image, for: layer))).embeddedRegions()
    } catch {
      throw OperationError(error)
    }
  }
}
