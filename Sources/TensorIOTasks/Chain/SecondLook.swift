internal import TensorIOCore
internal import TensorIOImage

/// A detector that looks again, from near, at what it has found.
struct SecondLook {
  private let model: Model
  private let reader: DetectionReader
  private let scale: Double
  /// The input that the picture goes into.
  private let input: Layer
  /// What goes into the others, as it did the first time.
  private let others: [String: LayerValue]

  init(
    _ chain: Chain, _ refinement: Refinement,
    value: (ChainSource) throws(ModelError) -> LayerValue?
  ) throws(ModelError) {
    let detector = chain.description.detector(of: refinement.detections)
    guard let detector, case .bundle(_, let sources) = detector.kind,
      let model = chain.models[detector.name],
      let input = model.inputs.first(where: { sources[$0.name] == refinement.picture })
    else {
      throw ModelError(
        .bundle, .unsupported("a refine of what no bundle has found in the same picture"))
    }
    (self.model, self.input, scale) = (model, input, refinement.scale)
    reader = try DetectionReader(model)
    var others: [String: LayerValue] = [:]
    for (name, source) in sources where name != input.name { others[name] = try value(source) }
    self.others = others
  }

  /// A thing with the box and the points that it has from near.
  func refined(_ thing: Detection, in image: ImageBuffer) throws(ModelError) -> Detection {
    guard let view = NearView(of: thing, scale: scale, atMost: limit) else { return thing }
    let picture: ImageBuffer
    do throws(ImageError) {
      picture = try view.picture(of: image)
    } catch {
      throw ModelError(.input, .picture(error))
    }
    var values = others
    values[input.name] = .image(picture)
    let bounds = Box(
      xmin: 0, ymin: 0, xmax: Double(image.uprightWidth), ymax: Double(image.uprightHeight))
    return view.refined(by: try reader.read(model.run(.named(values))), within: bounds)
  }

  /// How large a picture is made at most: more than twice the model's own is of no use to it.
  private var limit: Int {
    guard case .image(let image) = input.kind else { return 1 }
    return 2 * max(image.width, image.height)
  }
}

extension ChainDescription {
  /// The step whose bundle has found what a step has, itself or what it has aligned or refined.
  func detector(of name: String) -> ChainStep? {
    guard let step = steps.first(where: { $0.name == name }) else { return nil }
    switch step.kind {
    case .bundle: return step
    case .align(let alignment): return detector(of: alignment.detections)
    case .refine(let refinement): return detector(of: refinement.detections)
    }
  }
}
