import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// Computes the embeddings of images or texts with a bundle, or with a chain that detects regions and embeds
/// each of them.
struct Embedder {
  /// An embedded region of an image.
  struct Region {
    let embedding: Embedding
    /// The region's detection; `nil` if the image was embedded as a whole.
    var detection: Detection?
  }

  private enum Kind {
    case model(Model)
    case chain(Chain, step: String)
  }

  /// The identity that a gallery is bound to.
  let identity: EmbedderIdentity
  /// The options for comparing its embeddings.
  var options: EmbeddingOptions { decoder.options }
  private let kind: Kind
  private let decoder: EmbeddingDecoder
  private let layers: [Layer]
  private let textInputs: Set<String>

  /// Opens the bundle or chain named by an argument.
  init(
    _ argument: String, _ opener: ModelOpener, _ console: Console
  ) throws(OperationError) {
    do {
      guard Chain.hasChainExtension(argument) else {
        let model = try opener.model(at: argument, console)
        decoder = try EmbeddingDecoder(model)
        (kind, layers) = (.model(model), model.callerInputs)
        textInputs = model.textInputs
        identity = try EmbedderIdentity(model.bundle.id, of: [model.bundle])
        return
      }
      let chain = try opener.chain(at: argument, console)
      let step = chain.description.steps.last?.name ?? ""
      guard let last = chain.models[step] else {
        throw ModelError(
          .bundle, .unmetRequirement("the last step of an embedding chain must be a bundle"))
      }
      decoder = try EmbeddingDecoder(last)
      kind = .chain(chain, step: step)
      textInputs = []
      layers = try chain.makeModel().callerInputs
      identity = try EmbedderIdentity(
        chain.description.id,
        of: chain.description.steps.compactMap { chain.models[$0.name]?.bundle })
    } catch let error as ModelError {
      throw OperationError(error)
    } catch let error as OperationError {
      throw error
    } catch {
      throw OperationError("failed", "\(error)", exitCode: .inferenceFailed)
    }
  }

  /// Whether the bundle takes text instead of images.
  var takesText: Bool { layers.count == 1 && textInputs.contains(layers[0].name) }

  /// Returns the embedded regions of an image, or the embedding of a text.
  func embeddedRegions(in image: String, _ console: Console) throws(OperationError) -> [Region] {
    do throws(ModelError) {
      guard layers.count == 1, let layer = layers.first else {
        throw ModelError(.input, .inputCount(expected: layers.count, actual: 1))
      }
      let value = try InputValueParser(textInputs: textInputs, console).value(image, for: layer)
      switch kind {
      case .model(let model):
        return [Region(embedding: try decoder.decode(model.run(.value(value))))]
      case .chain(let chain, let step):
        return try embeddedRegions(in: try chain.run(ModelInput.value(value)), step)
      }
    } catch {
      throw OperationError(error)
    }
  }

  private func embeddedRegions(
    in output: ChainOutput, _ step: String
  ) throws(ModelError) -> [Region] {
    let detections = output.detections ?? []
    var regions: [Region] = []
    for (index, result) in (output.outputs[step] ?? []).enumerated() {
      let detection = detections.indices.contains(index) ? detections[index] : nil
      regions.append(Region(embedding: try decoder.decode(result), detection: detection))
    }
    return regions
  }
}
