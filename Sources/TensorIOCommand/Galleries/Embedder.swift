import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// What makes embeddings of pictures: a bundle, or a chain that finds things and embeds each.
struct Embedder {
  /// Something that was embedded, and where in the picture it was.
  struct Region {
    let embedding: Embedding
    /// Where a chain found it; `nil` where the whole picture was embedded.
    var detection: Detection?
  }

  private enum Kind {
    case model(Model)
    case chain(Chain, step: String)
  }

  /// What the gallery knows it by.
  let identity: EmbedderIdentity
  /// How its embeddings are compared.
  var options: EmbeddingOptions { reader.options }
  private let kind: Kind
  private let reader: EmbeddingDecoder
  private let layers: [Layer]

  /// Opens the bundle or the chain that a word means.
  init(
    _ word: String, _ opening: ModelOpener, _ console: Console
  ) throws(OperationError) {
    do {
      guard Chain.hasChainExtension(word) else {
        let model = try opening.model(at: word, console)
        reader = try EmbeddingDecoder(model)
        (kind, layers) = (.model(model), model.callerInputs)
        identity = try EmbedderIdentity(model.bundle.id, of: [model.bundle])
        return
      }
      let chain = try opening.chain(at: word, console)
      let step = chain.description.steps.last?.name ?? ""
      guard let last = chain.models[step] else {
        throw ModelError(.bundle, .unsupported("a gallery by a chain that ends in no bundle"))
      }
      reader = try EmbeddingDecoder(last)
      kind = .chain(chain, step: step)
      layers = try chain.model(at: word).callerInputs
      identity = try EmbedderIdentity(
        chain.description.id,
        of: chain.description.steps.compactMap { chain.models[$0.name]?.bundle })
    } catch let error as ModelError {
      throw OperationError(error)
    } catch let failure as OperationError {
      throw failure
    } catch {
      throw OperationError("failed", "\(error)", exitCode: .inferenceFailed)
    }
  }

  /// What a picture shows, embedded.
  func embeddedRegions(in picture: String, _ console: Console) throws(OperationError) -> [Region] {
    do throws(ModelError) {
      guard layers.count == 1, let layer = layers.first else {
        throw ModelError(.input, .inputCount(expected: layers.count, actual: 1))
      }
      let value = try InputValueParser(console).value(picture, for: layer)
      switch kind {
      case .model(let model):
        return [Region(embedding: try reader.decode(model.run(.value(value))))]
      case .chain(let chain, let step):
        return try embeddedRegions(in: try chain.run(ModelInput.value(value)), step)
      }
    } catch {
      throw OperationError(error)
    }
  }

  private func embeddedRegions(in output: ChainOutput, _ step: String) throws(ModelError) -> [Region] {
    let detections = output.detections ?? []
    var found: [Region] = []
    for (place, result) in (output.outputs[step] ?? []).enumerated() {
      let detection = detections.indices.contains(place) ? detections[place] : nil
      found.append(Region(embedding: try reader.decode(result), detection: detection))
    }
    return found
  }
}

/// By what an embedder is known again, whatever its folder is called.
struct EmbedderIdentity: Sendable, Hashable {
  /// The digest of all that makes its answers, in hexadecimal digits.
  let digest: String
  /// What people call it.
  let name: String

  /// The identity of bundles that work together.
  init(_ name: String, of bundles: [ModelBundle]) throws(OperationError) {
    var digest = SHA256()
    for bundle in bundles { digest.update(try BundleDigest.digest(of: bundle)) }
    self.name = name
    self.digest = digest.finalize().hexadecimal
  }
}
