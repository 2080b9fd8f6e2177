public import TensorIOBundle
public import TensorIOCore
import TensorIOImage

extension Chain {
  /// The chain as one model: what callers give goes in, what its last step makes comes out.
  ///
  /// Of a chain that aligns or refines what it finds, the things come out as well, as its detector's
  /// task says, in pixels of the caller's picture; the last step's outputs are lists with a value
  /// for each row of them.
  public func model(at path: String) throws(ModelError) -> Model {
    guard let last = description.lastBundleStep, let model = models[last] else {
      throw ModelError(.bundle, .unsupported("a chain without a bundle"), file: path)
    }
    let things = try detectionEncoder
    var composed = (things?.model ?? model).bundle.description
    composed.name = description.name
    composed.id = description.id
    composed.version = description.version
    composed.backend = model.bundle.backend
    composed.inputs = try description.inputs.map { (name) throws(ModelError) in
      try layer(for: name, at: path)
    }
    composed.outputs = outputs(things, last)
    if things != nil { composed.task?.settings.merge(DetectionTensorEncoder.taskSettings) { $1 } }
    (composed.state, composed.examples, composed.placeholders) = ([], [], [])
    composed.modeOverrides = [:]
    return Model(
      ModelBundle(composed, at: path, sharingFilesOf: (things?.model ?? model).bundle),
      runner: ChainRunner(chain: self, last: last, detectionEncoder: things))
  }

  /// What tells of the things that steps were about; `nil` in a chain that finds none.
  private var detectionEncoder: DetectionTensorEncoder? {
    get throws(ModelError) {
      guard let step = description.lastDetectionStep, let detector = description.detectorStep(for: step),
        let model = models[detector.name]
      else { return nil }
      return try DetectionTensorEncoder(model, step: detector.name)
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
  private func outputs(_ things: DetectionTensorEncoder?, _ last: String) -> [Layer] {
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
  var lastBundleStep: String? {
    steps.last { if case .bundle = $0.kind { true } else { false } }?.name
  }

  /// The last step that aligns or refines what was found.
  var lastDetectionStep: String? {
    steps.last { if case .bundle = $0.kind { false } else { true } }?.name
  }
}

/// Runs a chain as if it were a model.
private struct ChainRunner: ModelRunner {
  let chain: Chain
  let last: String
  let detectionEncoder: DetectionTensorEncoder?

  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
    let output = try chain.run(input)
    let results = output.outputs[last] ?? []
    guard let detectionEncoder else { return results.first ?? .empty }
    let found = detectionEncoder.layers(of: output.detections ?? [])
    guard detectionEncoder.step != last else { return found.output(detectionEncoder.geometries(in: output)) }
    let taken = Set(found.map(\.name))
    let others = try values(results).map { layer in
      taken.contains(layer.name)
        ? ModelOutput.Layer(name: "\(last).\(layer.name)", value: layer.value) : layer
    }
    return (found + others).output(detectionEncoder.geometries(in: output))
  }

  /// What came out of the last step for each thing, with embeddings as its bundle wants them.
  private func values(_ results: [ModelOutput]) throws(ModelError) -> [ModelOutput.Layer] {
    guard let model = chain.models[last] else { return [] }
    let reader =
      model.bundle.description.task?.type == "embedding" ? try EmbeddingDecoder(model) : nil
    return try model.outputs.map { (layer) throws(ModelError) in
      let values = try results.map { (result) throws(ModelError) -> LayerValue in
        guard let reader, reader.output == layer.name else { return try result[layer.name] }
        return .numbers(Numbers(.floats(try reader.decode(result).values)))
      }
      return ModelOutput.Layer(name: layer.name, value: .list(values))
    }
  }
}

extension [ModelOutput.Layer] {
  fileprivate func output(_ geometries: [ImageGeometry?]) -> ModelOutput {
    ModelOutput(layers: self, imageGeometries: geometries)
  }
}

/// The things that a chain has found, written as outputs of its detector would be.
///
/// They are what its later steps were about, so each row has its value in their lists.
struct DetectionTensorEncoder {
  /// How corners and points are written, whatever the detector's own outputs have.
  static let taskSettings = ["coordinates": #""pixels""#, "box_order": #""yxyx""#]

  /// The step of the detector.
  let step: String
  /// The detector.
  let model: Model
  /// The outputs that tell of things.
  let layers: [Layer]

  init(_ model: Model, step: String) throws(ModelError) {
    (self.model, self.step) = (model, step)
    let names = try DetectionDecoder(model).outputs
    layers = model.outputs.filter { names.contains($0.name) }
  }

  /// Things in the detector's outputs, a row each.
  func layers(of things: [Detection]) -> [ModelOutput.Layer] {
    layers.map { layer in
      .init(name: layer.name, value: .numbers(Self.numbers(layer.role, of: things)))
    }
  }

  /// Corners and points are in pixels of the picture, so nothing leads back to it.
  func geometries(in output: ChainOutput) -> [ImageGeometry?] {
    let geometry = output.outputs[step]?.first?.imageGeometries.lazy.compactMap(\.self).first
    guard let geometry else { return [] }
    return [
      ImageGeometry(identityWidth: geometry.imageWidth, height: geometry.imageHeight)
    ]
  }

  private static func numbers(_ role: OutputRole?, of things: [Detection]) -> Numbers {
    switch role {
    case .boxes:
      let corners = things.flatMap { [$0.box.ymin, $0.box.xmin, $0.box.ymax, $0.box.xmax] }
      return numbers(corners, [1, things.count, 4])
    case .classes: return numbers(things.map { Double($0.index) }, [1, things.count])
    case .count: return numbers([Double(things.count)], [1])
    case .keypoints:
      let places = things.flatMap { $0.keypoints.flatMap { [$0.y, $0.x] } }
      return numbers(places, [1, things.count, things.first?.keypoints.count ?? 0, 2])
    default: return Numbers(.floats(things.map(\.score)), shape: [1, things.count])
    }
  }

  private static func numbers(_ values: [Double], _ shape: [Int]) -> Numbers {
    Numbers(.floats(values.map(Float.init)), shape: shape)
  }
}
