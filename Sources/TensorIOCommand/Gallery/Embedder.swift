internal import TensorIO
internal import TensorIOCore
internal import TensorIOSystem
internal import TensorIOTasks

/// What makes embeddings of pictures: a bundle, or a chain that finds things and embeds each.
struct Embedder {
  /// Something that was embedded, and where in the picture it was.
  struct Found {
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
  private let reader: EmbeddingReader
  private let layers: [Layer]

  /// Opens the bundle or the chain that a word means.
  init(
    _ word: String, _ opening: BundleOpening, _ console: Console
  ) throws(CommandFailure) {
    do {
      guard Chain.isNamed(word) else {
        let model = try opening.model(at: word, console)
        reader = try EmbeddingReader(model)
        (kind, layers) = (.model(model), model.askedInputs)
        identity = try EmbedderIdentity(model.bundle.id, of: [model.bundle])
        return
      }
      let chain = try opening.chain(at: word, console)
      let step = chain.description.steps.last?.name ?? ""
      guard let last = chain.models[step] else {
        throw ModelError(.bundle, .unsupported("a gallery by a chain that ends in no bundle"))
      }
      reader = try EmbeddingReader(last)
      kind = .chain(chain, step: step)
      layers = try chain.model(at: word).askedInputs
      identity = try EmbedderIdentity(
        chain.description.id,
        of: chain.description.steps.compactMap { chain.models[$0.name]?.bundle })
    } catch let error as ModelError {
      throw CommandFailure(error)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure("failed", "\(error)", exit: .run)
    }
  }

  /// What a picture shows, embedded.
  func found(in picture: String, _ console: Console) throws(CommandFailure) -> [Found] {
    do throws(ModelError) {
      guard layers.count == 1, let layer = layers.first else {
        throw ModelError(.input, .inputCount(expected: layers.count, actual: 1))
      }
      let value = try ValueReader(console).value(picture, for: layer)
      switch kind {
      case .model(let model):
        return [Found(embedding: try reader.read(model.run(.value(value))))]
      case .chain(let chain, let step):
        return try found(in: try chain.run(ModelInput.value(value)), step)
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  private func found(in output: ChainOutput, _ step: String) throws(ModelError) -> [Found] {
    let detections = output.things ?? []
    var found: [Found] = []
    for (place, result) in (output.outputs[step] ?? []).enumerated() {
      let detection = detections.indices.contains(place) ? detections[place] : nil
      found.append(Found(embedding: try reader.read(result), detection: detection))
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
  init(_ name: String, of bundles: [ModelBundle]) throws(CommandFailure) {
    var digest = SHA256()
    for bundle in bundles { digest.add(try BundleDigest.digest(of: bundle)) }
    self.name = name
    self.digest = digest.finish().hexadecimal
  }
}
