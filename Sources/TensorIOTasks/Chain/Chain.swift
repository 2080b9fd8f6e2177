public import TensorIOBundle
public import TensorIOCore
import TensorIOImage

/// Several models one after the other, each of which takes what those before it gave.
///
///     let chain = try Chain(at: "style.tiochain")
///     let output = try chain.run(["content": photo, "style": painting])
///
/// Where a step finds several things, those that follow run once for each.
public struct Chain: Sendable {
  /// What is done.
  public let description: ChainDescription
  /// The models, by the names of their steps.
  public let models: [String: Model]

  /// A chain of open models, one for every step that runs a bundle.
  public init(
    _ description: ChainDescription, models: [String: Model]
  ) throws(ModelError) {
    self.description = description
    self.models = models
    for step in description.steps {
      guard case .bundle = step.kind, models[step.name] == nil else { continue }
      throw ModelError(.bundle, .missingFile(step.name))
    }
  }

  /// Runs all steps.
  public func run(_ input: some ModelInputConvertible) throws(ModelError) -> ChainOutput {
    let values = try input.modelInput.values(for: description.inputs)
    let given = Dictionary(zip(description.inputs, values)) { first, _ in first }
    var run = ChainRun(chain: self, inputs: given)
    for step in description.steps { try run.perform(step) }
    return run.output
  }
}

/// What came of running a chain.
public struct ChainOutput: Sendable {
  /// What came out of each bundle, by step: one output, or one for each thing that was found.
  public fileprivate(set) var outputs: [String: [ModelOutput]] = [:]
  /// The things that were aligned, or looked at again, by step.
  public fileprivate(set) var detectionsByStep: [String: [Detection]] = [:]
  /// The things that the last of those steps had: each output of a later step is of one of them.
  public fileprivate(set) var detections: [Detection]?
  /// The step that came last.
  public fileprivate(set) var lastStep = ""

  /// The output of the last step; of several things, that of the first.
  public var final: ModelOutput? { outputs[lastStep]?.first }
}

/// One run of a chain, as far as it has come.
private struct ChainRun {
  let chain: Chain
  let inputs: [String: LayerValue]
  private(set) var output = ChainOutput()
  /// The pictures, or their whitened numbers, that steps have aligned.
  private var images: [String: [LayerValue]] = [:]

  init(chain: Chain, inputs: [String: LayerValue]) {
    (self.chain, self.inputs) = (chain, inputs)
  }

  mutating func perform(_ step: ChainStep) throws(ModelError) {
    output.lastStep = step.name
    switch step.kind {
    case .bundle(_, let sources): output.outputs[step.name] = try run(step.name, sources)
    case .align(let alignment): try align(step.name, alignment)
    case .refine(let refinement): store(try refined(refinement), for: step.name)
    }
  }

  private mutating func align(_ step: String, _ alignment: Alignment) throws(ModelError) {
    let image = try image(from: alignment.image)
    let placed = try detections(of: alignment.detections).compactMap { thing in
      alignment.map(for: thing).map { (thing, $0) }
    }
    store(placed.map(\.0), for: step)
    images[step] = try placed.map { (_, map) throws(ModelError) in
      try alignment.crop(from: image, by: map)
    }
  }

  private mutating func store(_ things: [Detection], for step: String) {
    output.detectionsByStep[step] = things
    output.detections = things
  }

  private func run(
    _ name: String, _ sources: [String: ChainSource]
  ) throws(ModelError) -> [ModelOutput] {
    guard let model = chain.models[name] else { return [] }
    var values: [String: [LayerValue]] = [:]
    for (input, source) in sources { values[input] = try self.values(from: source) }
    // One value goes with every one of several.
    let isEmpty = values.values.contains(where: \.isEmpty)
    let count = isEmpty ? 0 : values.values.map(\.count).max() ?? 0
    return try (0..<count).map { (index) throws(ModelError) in
      try model.run(.named(values.mapValues { $0[min(index, $0.count - 1)] }))
    }
  }

  private func values(from source: ChainSource) throws(ModelError) -> [LayerValue] {
    switch source {
    case .input(let name): return inputs[name].map { [$0] } ?? []
    case .step(let name, let output):
      if let pictures = images[name] { return pictures }
      return try (self.output.outputs[name] ?? []).map { (result) throws(ModelError) in
        guard let output else { return try result[result.names.first ?? name] }
        return try result[output]
      }
    }
  }

  /// What a step has found.
  private func detections(of step: String) throws(ModelError) -> [Detection] {
    if let found = output.detectionsByStep[step] { return found }
    guard let model = chain.models[step], let output = output.outputs[step]?.first else {
      throw ModelError(.run, .failed("the step '\(step)' finds nothing"))
    }
    return try DetectionDecoder(model).decode(output).all
  }

  /// What a step has found, as its detector sees each from near.
  private func refined(_ refinement: Refinement) throws(ModelError) -> [Detection] {
    let found = try detections(of: refinement.detections)
    let image = try image(from: refinement.image)
    let look = try RefinementPass(chain, refinement) { (source) throws(ModelError) in
      try values(from: source).first
    }
    return try found.map { (thing) throws(ModelError) in try look.refined(thing, in: image) }
  }

  private func image(from source: ChainSource) throws(ModelError) -> ImageBuffer {
    switch try values(from: source).first {
    case .image(let image): return image
    case .bytes(let bytes):
      do throws(ImageError) {
        return try ImageBuffer(decoding: bytes)
      } catch {
        throw ModelError(.input, .image(error))
      }
    case let other:
      throw ModelError(
        .input, .wrongType(expected: "a picture", actual: other?.kindDescription ?? "nothing"))
    }
  }
}

extension Alignment {
  /// Something of a picture, in its place.
  fileprivate func crop(
    from image: ImageBuffer, by map: AffineMap
  ) throws(ModelError) -> LayerValue {
    do throws(ImageError) {
      let picture = try image.warped(by: map, width: width, height: height)
      guard whitens else { return .image(picture) }
      let numbers = picture.whitened()
      return .numbers(
        Numbers(.floats(numbers), shape: [height, width, numbers.count / (width * height)]))
    } catch {
      throw ModelError(.input, .image(error))
    }
  }
}
