public import TensorIOCore
internal import TensorIOImage

extension Chain {
  /// The chain as one model: what callers give goes in, what its last step makes comes out.
  ///
  /// Of a chain that aligns or refines what it finds, the things come out as well, as its detector's
  /// task says, in pixels of the caller's picture; the last step's outputs are lists with a value
  /// for each row of them.
  public func model(at path: String) throws(ModelError) -> Model {
    guard let last = description.lastBundle, let model = models[last] else {
      throw ModelError(.bundle, .unsupported("a chain without a bundle"), file: path)
    }
    let things = try things
    var composed = (things?.model ?? model).bundle.description
    composed.name = description.name
    composed.id = description.id
    composed.version = description.version
    composed.backend = model.bundle.backend
    composed.inputs = try description.inputs.map { (name) throws(ModelError) in
      try layer(for: name, at: path)
    }
    composed.outputs = outputs(things, last)
    if things != nil { composed.task?.settings.merge(ThingRows.settings) { $1 } }
    (composed.state, composed.examples, composed.placeholders) = ([], [], [])
    composed.interfaces = [:]
    return Model(
      ModelBundle(composed, at: path, filesOf: (things?.model ?? model).bundle),
      running: ChainRunner(chain: self, last: last, things: things))
  }

  /// What tells of the things that steps were about; `nil` in a chain that finds none.
  private var things: ThingRows? {
    get throws(ModelError) {
      guard let step = description.lastFinding, let detector = description.detector(of: step),
        let model = models[detector.name]
      else { return nil }
      return try ThingRows(model, step: detector.name)
    }
  }

  /// The input of a bundle that a chain's input is the first to feed, under the chain's name.
  private func layer(for name: String, at path: String) throws(ModelError) -> Layer {
    for step in description.steps {
      guard case .bundle(_, let sources) = step.kind,
        let input = sources.first(where: { $0.value == .input(name) })?.key,
        var layer = models[step.name]?.inputs.first(where: { $0.name == input })
      else { continue }
      layer.name = name
      return layer
    }
    throw ModelError(
      .bundle, .unsupported("the input '\(name)', which feeds no bundle,"), file: path)
  }

  /// What tells of things, and what the last bundle gives; where two have one name, the later is
  /// told apart by its step.
  private func outputs(_ things: ThingRows?, _ last: String) -> [Layer] {
    let layers = things?.layers ?? []
    guard things?.step != last else { return layers }
    let taken = Set(layers.map(\.name))
    return layers
      + (models[last]?.outputs ?? []).map { output in
        var layer = output
        if taken.contains(layer.name) { layer.name = "\(last).\(layer.name)" }
        return layer
      }
  }
}

extension ChainDescription {
  /// The last step that runs a bundle.
  var lastBundle: String? {
    steps.last { if case .bundle = $0.kind { true } else { false } }?.name
  }

  /// The last step that aligns or refines what was found.
  var lastFinding: String? {
    steps.last { if case .bundle = $0.kind { false } else { true } }?.name
  }
}

/// Runs a chain as if it were a model.
private struct ChainRunner: ModelRunner {
  let chain: Chain
  let last: String
  let things: ThingRows?

  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
    let output = try chain.run(input)
    let results = output.outputs[last] ?? []
    guard let things else { return results.first ?? .empty }
    let found = things.layers(of: output.things ?? [])
    guard things.step != last else { return found.output(things.geometries(in: output)) }
    let taken = Set(found.map(\.name))
    let others = try values(results).map { layer in
      taken.contains(layer.name)
        ? ModelOutput.Layer(name: "\(last).\(layer.name)", value: layer.value) : layer
    }
    return (found + others).output(things.geometries(in: output))
  }

  /// What came out of the last step for each thing, with embeddings as its bundle wants them.
  private func values(_ results: [ModelOutput]) throws(ModelError) -> [ModelOutput.Layer] {
    guard let model = chain.models[last] else { return [] }
    let reader =
      model.bundle.description.task?.type == "embedding" ? try EmbeddingReader(model) : nil
    return try model.outputs.map { (layer) throws(ModelError) in
      let values = try results.map { (result) throws(ModelError) -> LayerValue in
        guard let reader, reader.output == layer.name else { return try result[layer.name] }
        return .numbers(Numbers(.floats(try reader.read(result).values)))
      }
      return ModelOutput.Layer(name: layer.name, value: .list(values))
    }
  }
}

extension [ModelOutput.Layer] {
  fileprivate func output(_ geometries: [ImageGeometry?]) -> ModelOutput {
    ModelOutput(layers: self, geometries: geometries)
  }
}
