public import TensorIOCore
internal import TensorIOImage

extension Chain {
  /// The chain as one model: what callers give goes in, what its last step makes comes out.
  ///
  /// Of a chain that aligns what it finds, the detector's outputs come out as well, so that they
  /// can be read as its task says; the last step's are lists with a value for each thing.
  public func model(at path: String) throws(ModelError) -> Model {
    guard let last = answering.last, let model = models[last] else {
      throw ModelError(.bundle, .unsupported("a chain without a bundle"), file: path)
    }
    let first = answering.compactMap { models[$0] }.first ?? model
    var composed = first.bundle.description
    composed.name = description.name
    composed.id = description.id
    composed.version = description.version
    composed.backend = model.bundle.backend
    composed.inputs = try description.inputs.map { (name) throws(ModelError) in
      try layer(for: name, at: path)
    }
    composed.outputs = outputs(of: answering)
    (composed.state, composed.examples, composed.placeholders) = ([], [], [])
    composed.interfaces = [:]
    return Model(
      ModelBundle(composed, at: path, filesOf: first.bundle), running: ChainRunner(chain: self))
  }

  /// The steps whose outputs come out: the detector of what is aligned, and the last.
  fileprivate var answering: [String] {
    let bundles = description.steps.filter { if case .bundle = $0.kind { true } else { false } }
    let detectors = description.steps.compactMap { step in
      if case .align(let alignment) = step.kind { alignment.detections } else { nil }
    }
    let names = Array(detectors.suffix(1)) + bundles.suffix(1).map(\.name)
    return names.count > 1 && names[0] == names[1] ? [names[0]] : names
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

  /// The outputs of steps; where two have one name, the later is told apart by its step.
  private func outputs(of steps: [String]) -> [Layer] {
    var layers: [Layer] = []
    for step in steps {
      for var layer in models[step]?.outputs ?? [] {
        if layers.contains(where: { $0.name == layer.name }) {
          layer.name = "\(step).\(layer.name)"
        }
        layers.append(layer)
      }
    }
    return layers
  }
}

/// Runs a chain as if it were a model.
private struct ChainRunner: ModelRunner {
  let chain: Chain

  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
    let output = try chain.run(input)
    var layers: [ModelOutput.Layer] = []
    var geometries: [ImageGeometry?] = []
    for step in chain.answering {
      let results = output.outputs[step] ?? []
      if geometries.isEmpty { geometries = results.first?.geometries ?? [] }
      let isEach = step != chain.answering.first
      for layer in try values(of: step, results, isEach: isEach) {
        let isTaken = layers.contains { $0.name == layer.name }
        layers.append(isTaken ? .init(name: "\(step).\(layer.name)", value: layer.value) : layer)
      }
    }
    return ModelOutput(layers: layers, geometries: geometries)
  }

  /// What came out of a step, with embeddings as its bundle wants them where there are several.
  private func values(
    of step: String, _ results: [ModelOutput], isEach: Bool
  ) throws(ModelError) -> [ModelOutput.Layer] {
    guard isEach, let model = chain.models[step] else { return results.first?.layers ?? [] }
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
