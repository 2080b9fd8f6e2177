public import TensorIOBundle
public import TensorIOCore
import TensorIOImage
import TensorIOJSON

extension Chain {
  /// Returns a model that runs the chain: its inputs are the chain's inputs, its outputs those of
  /// the last step.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Chain(at: "faces.tiochain").makeModel()
  /// let faces = try model.run(ImageBuffer(contentsOf: "party.jpg")).detections
  /// ```
  ///
  /// If the chain aligns or refines detections, the outputs also include the detector's, in pixels
  /// of the caller's image, and the outputs of the last step are lists with a value per detection.
  /// If the last step finds poses in regions, the outputs are the poses, in pixels of the caller's image.
  ///
  /// - Returns: The model.
  /// - Throws: A ``ModelError`` if no step runs a bundle, or no bundle uses one of the inputs.
  public func makeModel() throws(ModelError) -> Model {
    guard let last = description.lastBundleStep, let model = models[last] else {
      throw ModelError(
        .bundle, .unmetRequirement("the chain has no step with a bundle"), file: path)
    }
    let poseEncoder = try PoseTensorEncoder(self)
    let encoder = poseEncoder == nil ? try detectionEncoder : nil
    var composed = (encoder?.model ?? model).bundle.description
    composed.name = description.name
    composed.id = description.id
    composed.version = description.version
    composed.backend = model.bundle.backend
    composed.inputs = try description.inputs.map { (name) throws(ModelError) in
      try layer(for: name, at: path)
    }
    composed.outputs = poseEncoder?.layers ?? outputs(encoder, last)
    if let poseEncoder { composed.task = poseEncoder.task }
    if encoder != nil { composed.task?.settings.merge(DetectionTensorEncoder.taskSettings) { $1 } }
    (composed.state, composed.examples, composed.placeholders) = ([], [], [])
    composed.modeOverrides = [:]
    let result = Model(
      ModelBundle(composed, at: path, sharingFilesOf: (encoder?.model ?? model).bundle),
      runner: ChainRunner(
        chain: self, last: last, detectionEncoder: encoder, poseEncoder: poseEncoder))
    if let origin = EmbeddingOrigin(self) { result.info.attach(origin) }
    return result
  }

  /// The encoder of the last detections; `nil` if no step uses detections.
  private var detectionEncoder: DetectionTensorEncoder? {
    get throws(ModelError) {
      guard let step = description.lastDetectionStep,
        let detector = description.detectorStep(for: step),
        let model = models[detector.name]
      else { return nil }
      return try DetectionTensorEncoder(model, step: detector.name)
    }
  }

  /// Returns the first bundle input that a chain input is passed to, renamed to the chain input.
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
      .bundle, .unmetRequirement("no bundle uses the chain input '\(name, as: "name")'"), file: path
    )
  }

  /// Returns the detection outputs and the outputs of the last bundle.
  ///
  /// An output of the last bundle that has the name of another output is prefixed with its step.
  private func outputs(_ encoder: DetectionTensorEncoder?, _ last: String) -> [Layer] {
    let layers = encoder?.layers ?? []
    guard encoder?.step != last else { return layers }
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

  /// The last step that aligns or refines detections.
  var lastDetectionStep: String? {
    steps.last { if case .bundle = $0.kind { false } else { true } }?.name
  }
}

/// Runs a chain as a model.
private struct ChainRunner: ModelRunner {
  let chain: Chain
  let last: String
  let detectionEncoder: DetectionTensorEncoder?
  let poseEncoder: PoseTensorEncoder?

  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
    let output = try chain.run(input)
    if let poseEncoder { return poseEncoder.output(of: output) }
    let results = output.outputs[last] ?? []
    guard let detectionEncoder else { return results.first ?? .empty }
    let detections = detectionEncoder.layers(of: output.detections ?? [])
    let geometries = detectionEncoder.geometries(in: output)
    guard detectionEncoder.step != last else { return detections.output(geometries) }
    let taken = Set(detections.map(\.name))
    let others = try values(results).map { layer in
      taken.contains(layer.name)
        ? ModelOutput.Layer(name: "\(last).\(layer.name)", value: layer.value) : layer
    }
    return (detections + others).output(geometries)
  }

  /// Returns the outputs of the last step as lists over detections, with embeddings normalized.
  private func values(_ results: [ModelOutput]) throws(ModelError) -> [ModelOutput.Layer] {
    guard let model = chain.models[last] else { return [] }
    // A vector is normalized as its task returns it.
    let reader = model.hasResults(as: .identities) ? try ResultReader(model, .identities) : nil
    let read = try reader?.embeddings().read
    return try model.outputs.map { (layer) throws(ModelError) in
      let values = try results.map { (result) throws(ModelError) -> LayerValue in
        guard let read, reader?.outputs.contains(layer.name) ?? false else {
          return try result[layer.name]
        }
        return .numbers(Numbers(.floats(try read(result).values)))
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

/// Encodes the detections of a chain as the outputs of its detector.
///
/// These are the detections that later steps process, so their order matches the values in the
/// outputs of later steps.
struct DetectionTensorEncoder {
  /// The settings for the encoded coordinates, which replace those of the detector.
  static let taskSettings: [String: JSONValue] = ["coordinates": "pixels", "box_order": "yxyx"]

  /// The step of the detector.
  let step: String
  /// The detector.
  let model: Model
  /// The outputs that describe detections.
  let layers: [Layer]

  init(_ model: Model, step: String) throws(ModelError) {
    (self.model, self.step) = (model, step)
    let names = try ResultReader(model, .boxes).outputs
    layers = model.outputs.filter { names.contains($0.name) }
  }

  /// Returns the outputs with one row per detection.
  func layers(of detections: [Detection]) -> [ModelOutput.Layer] {
    layers.map { layer in
      .init(name: layer.name, value: .numbers(Self.numbers(layer.role, of: detections)))
    }
  }

  /// Returns an identity geometry, because the coordinates are in pixels of the original image.
  func geometries(in output: ChainOutput) -> [ImageGeometry?] {
    let geometry = output.outputs[step]?.first?.imageGeometries.lazy.compactMap(\.self).first
    guard let geometry else { return [] }
    return [
      ImageGeometry(identityWidth: geometry.imageWidth, height: geometry.imageHeight)
    ]
  }

  private static func numbers(_ role: OutputRole?, of detections: [Detection]) -> Numbers {
    switch role {
    case .boxes:
      let corners = detections.flatMap { [$0.box.ymin, $0.box.xmin, $0.box.ymax, $0.box.xmax] }
      return numbers(corners, [1, detections.count, 4])
    case .classes: return numbers(detections.map { Double($0.index) }, [1, detections.count])
    case .count: return numbers([Double(detections.count)], [1])
    case .keypoints:
      let points = detections.flatMap { $0.keypoints.flatMap { [$0.y, $0.x] } }
      return numbers(
        points, [1, detections.count, detections.first?.keypoints.count ?? 0, 2])
    default:
      return Numbers(.floats(detections.map(\.score)), shape: [1, detections.count])
    }
  }

  private static func numbers(_ values: [Double], _ shape: [Int]) -> Numbers {
    Numbers(.floats(values.map(Float.init)), shape: shape)
  }
}
