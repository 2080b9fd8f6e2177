public import TensorIOBundle
public import TensorIOCore
import TensorIOImage

/// Several models that run one after another, each on outputs of the previous ones.
///
/// ```swift
/// import TensorIO
///
/// let chain = try Chain(at: "style.tiochain")
/// let photo = try ImageBuffer(contentsOf: "photo.jpg")
/// let painting = try ImageBuffer(contentsOf: "painting.jpg")
/// let painted = try chain.run(["content": photo, "style": painting]).final?.image
/// ```
///
/// Steps after an alignment run once per detection.
public struct Chain: Sendable {
  /// The parsed contents of `chain.json`.
  package let description: ChainDescription
  /// The models, by step name.
  public let models: [String: Model]
  /// The path with which the chain was opened.
  package let path: String

  /// Creates a chain from open models, one for each step that runs a bundle.
  package init(
    _ description: ChainDescription, models: [String: Model], path: String = ""
  ) throws(ModelError) {
    self.path = path
    self.description = description
    self.models = models
    for step in description.steps {
      guard case .bundle = step.kind, models[step.name] == nil else { continue }
      throw ModelError(.bundle, .missingFile(step.name))
    }
  }

  /// Runs all steps on the calling thread, on any value that converts to an input.
  ///
  /// - Parameter input: An image, a number, a string, bytes, or an array or dictionary of these.
  /// - Returns: The outputs of all steps.
  /// - Throws: A ``ModelError`` if the input does not fit the chain or a step fails.
  public func run(_ input: some ModelInputConvertible) throws(ModelError) -> ChainOutput {
    try run(input.modelInput)
  }

  /// Runs all steps on the calling thread.
  ///
  /// - Parameter input: A value for a chain with one input, or values by input name.
  /// - Returns: The outputs of all steps.
  /// - Throws: A ``ModelError`` if the input does not fit the chain or a step fails.
  public func run(_ input: ModelInput) throws(ModelError) -> ChainOutput {
    let values = try input.values(for: description.inputs)
    let inputs = Dictionary(zip(description.inputs, values)) { first, _ in first }
    var run = ChainRun(chain: self, inputs: inputs)
    try run.decodeImages()
    for step in description.steps {
      let start = ContinuousClock.now
      try run.perform(step)
      run.output.durations.append(.init(step.name, ContinuousClock.now - start))
    }
    return run.output
  }
}

/// The outputs of a chain.
public struct ChainOutput: Sendable {
  /// The outputs of each bundle, by step: one output, or one per detection.
  public fileprivate(set) var outputs: [String: [ModelOutput]] = [:]
  /// The detections that were aligned or refined, by step.
  public fileprivate(set) var detectionsByStep: [String: [Detection]] = [:]
  /// The detections of the last such step, which the outputs of later steps correspond to.
  public fileprivate(set) var detections: [Detection]?
  /// The poses that steps with bundles found in regions around other objects, by step, in pixels of the caller's image.
  public fileprivate(set) var posesByStep: [String: [Pose]] = [:]
  /// The lines of text that steps with bundles read in extracted images, by step, in pixels of the caller's image.
  public fileprivate(set) var linesByStep: [String: [TextLine]] = [:]
  /// The sizes of the images whose regions steps with bundles ran on, by step.
  fileprivate var imageSizes: [String: (width: Int, height: Int)] = [:]
  /// How long each step took, in order.
  public fileprivate(set) var durations: [Timings.Step] = []
  /// The name of the last step.
  public fileprivate(set) var lastStep = ""

  /// The output of the last step, or that of the first detection.
  public var final: ModelOutput? { outputs[lastStep]?.first }

  /// Returns the size of the image in which a step found objects.
  func imageSize(of step: String) -> (width: Int, height: Int)? {
    let geometry = outputs[step]?.first?.imageGeometries.lazy.compactMap(\.self).first
    return imageSizes[step] ?? geometry.map { ($0.imageWidth, $0.imageHeight) }
  }
}

/// The state of a run of a chain.
private struct ChainRun {
  let chain: Chain
  let inputs: [String: LayerValue]
  fileprivate(set) var output = ChainOutput()
  /// The aligned images, or their standardized values, by step.
  private var images: [String: [LayerValue]] = [:]
  /// The extracted lines, by step.
  private var crops: [String: [CroppedLine]] = [:]
  /// The decoded images of the chain's inputs, by name.
  private var decoded: [String: ImageBuffer] = [:]
  /// The maps from extracted regions to their image, and its size, by step.
  private var regions: [String: (maps: [AffineMap], size: (width: Int, height: Int))] = [:]

  init(chain: Chain, inputs: [String: LayerValue]) {
    self.chain = chain
    self.inputs = inputs
  }

  mutating func perform(_ step: ChainStep) throws(ModelError) {
    output.lastStep = step.name
    switch step.kind {
    case .bundle(_, let sources): output.outputs[step.name] = try run(step, sources)
    case .align(let alignment): try align(step.name, alignment)
    case .refine(let refinement): store(try refined(refinement), for: step.name)
    case .region(let region): try extract(step.name, region)
    case .crop(let crop): try extract(step.name, crop)
    case .turn(let turn): try self.turn(step.name, turn)
    }
  }

  private mutating func align(_ step: String, _ alignment: Alignment) throws(ModelError) {
    let image = try image(from: alignment.image)
    let mapped = try detections(of: alignment.detections).compactMap { detection in
      alignment.map(for: detection).map { (detection, $0) }
    }
    store(mapped.map(\.0), for: step)
    images[step] = try mapped.map { (_, map) throws(ModelError) in
      try alignment.crop(from: image, by: map)
    }
  }

  private mutating func store(_ detections: [Detection], for step: String) {
    output.detectionsByStep[step] = detections
    output.detections = detections
  }

  private mutating func run(
    _ step: ChainStep, _ sources: [String: ChainSource]
  ) throws(ModelError) -> [ModelOutput] {
    let name = step.name
    guard let model = chain.models[name] else { return [] }
    var values: [String: [LayerValue]] = [:]
    for (input, source) in sources { values[input] = try self.values(from: source) }
    // A single value is used for every run.
    let isEmpty = values.values.contains(where: \.isEmpty)
    let count = isEmpty ? 0 : values.values.map(\.count).max() ?? 0
    if let crops = crops(for: sources) {
      return try run(model, on: crops, values, step)
    }
    let outputs = try (0..<count).map { (index) throws(ModelError) in
      try model.run(.named(values.mapValues { $0[min(index, $0.count - 1)] }))
    }
    if let regions = regions(for: sources), model.bundle.description.describesPoses {
      output.posesByStep[name] = try Self.poses(in: outputs, of: model, regions.maps)
      output.imageSizes[name] = regions.size
    }
    return outputs
  }

  /// Returns the regions that are a source.
  private func regions(
    for sources: [String: ChainSource]
  ) -> (maps: [AffineMap], size: (width: Int, height: Int))? {
    for case .step(let name, _) in sources.values {
      if let regions = regions[name] { return regions }
    }
    return nil
  }

  /// Returns the poses in outputs for regions, in pixels of the image with the regions.
  private static func poses(
    in outputs: [ModelOutput], of model: Model, _ maps: [AffineMap]
  ) throws(ModelError) -> [Pose] {
    let read = try ResultReader(model, .keypoints).poses().read
    var poses: [Pose] = []
    for (output, map) in zip(outputs, maps) { poses += try read(output).map(map.apply(to:)) }
    return poses
  }

  /// Extracts the regions around the objects of a step.
  private mutating func extract(_ step: String, _ region: RegionCrop) throws(ModelError) {
    let image = try image(from: region.image)
    var maps: [AffineMap] = []
    if let model = poseModel(region.objects) {
      let (names, read) = try ResultReader(model, .keypoints).poses()
      let poses = try poses(of: region.objects, read)
      maps = poses.compactMap { region.map(box: $0.box, points: $0.points(named: names)) }
    } else {
      let mapped = try detections(of: region.objects).compactMap { detection in
        region.map(
          box: detection.box, points: detection.keypoints.map { .init(x: $0.x, y: $0.y) }
        ).map { (detection, $0) }
      }
      store(mapped.map(\.0), for: step)
      maps = mapped.map(\.1)
    }
    images[step] = try maps.map { (map) throws(ModelError) in
      try region.crop(from: image, by: map)
    }
    regions[step] = (maps.compactMap(\.inverse), (image.uprightWidth, image.uprightHeight))
  }

  /// Returns the model of a step that finds poses; `nil` for other steps.
  private func poseModel(_ step: String) -> Model? {
    guard let model = chain.models[step], model.bundle.description.describesPoses else {
      return nil
    }
    return model
  }

  /// Returns the poses that a step found in an input of the chain.
  private func poses(
    of step: String, _ read: ResultReading.Function<[Pose]>
  ) throws(ModelError) -> [Pose] {
    if let poses = output.posesByStep[step] { return poses }
    var poses: [Pose] = []
    for result in output.outputs[step] ?? [] { poses += try read(result) }
    return poses
  }

  private func values(from source: ChainSource) throws(ModelError) -> [LayerValue] {
    switch source {
    case .input(let name):
      if let image = decoded[name] { return [.image(image)] }
      return inputs[name].map { [$0] } ?? []
    case .step(let name, let output):
      if let crops = crops[name] { return crops.map { .image($0.image) } }
      if let aligned = images[name] { return aligned }
      return try (self.output.outputs[name] ?? []).map { (result) throws(ModelError) in
        guard let output else { return try result[result.names.first ?? name] }
        return try result[output]
      }
    }
  }

  /// Returns the detections of a step.
  private func detections(of step: String) throws(ModelError) -> [Detection] {
    if let detections = output.detectionsByStep[step] { return detections }
    guard let model = chain.models[step], let output = output.outputs[step]?.first else {
      throw ModelError(.run, .failed("the step '\(step, as: "step")' has no detections"))
    }
    return try ResultReader(model, .boxes).boxes().read(output)
  }

  /// Returns the detections of a step, refined by its detector.
  private func refined(_ refinement: Refinement) throws(ModelError) -> [Detection] {
    let detections = try detections(of: refinement.detections)
    let image = try image(from: refinement.image)
    let pass = try RefinementPass(chain, refinement) { (source) throws(ModelError) in
      try values(from: source).first
    }
    return try detections.map { (detection) throws(ModelError) in
      try pass.refined(detection, in: image)
    }
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
        .input, .wrongType(expected: "an image", actual: other?.kindDescription ?? "nothing"))
    }
  }
}

// MARK: Lines of text

extension ChainRun {
  /// Decodes the images that lines are extracted from, which the detector then need not decode.
  fileprivate mutating func decodeImages() throws(ModelError) {
    for case .crop(let crop) in chain.description.steps.map(\.kind) {
      guard case .input(let name) = crop.image, case .bytes? = inputs[name] else { continue }
      decoded[name] = try image(from: crop.image)
    }
  }

  /// Extracts the lines of text that a step found.
  fileprivate mutating func extract(_ step: String, _ crop: LineCrop) throws(ModelError) {
    guard let detector = chain.models[crop.lines], let found = output.outputs[crop.lines]?.first
    else {
      throw ModelError(.run, .failed("the step '\(crop.lines, as: "step")' has no lines of text"))
    }
    let lines = try ResultReader(detector, .lines).lines()(found)
    let image = try image(from: crop.image).upright()
    do throws(ImageError) {
      let (enlarged, scale) = try image.enlarged(for: detector)
      var cropped: [CroppedLine] = []
      for line in lines {
        guard
          let crop = try CroppedLine(line, in: enlarged, scale: scale, turnRatio: crop.turnRatio)
        else { continue }
        cropped.append(crop)
      }
      crops[step] = cropped
    } catch {
      throw ModelError(.input, .image(error))
    }
  }

  /// Turns images by the angles that a classifier found.
  fileprivate mutating func turn(_ step: String, _ turn: OrientationTurn) throws(ModelError) {
    guard case .step(let source, _) = turn.image, var lines = crops[source] else {
      throw ModelError(.run, .failed("the step '\(step, as: "step")' has no extracted lines"))
    }
    for (index, output) in (output.outputs[turn.classes] ?? []).enumerated()
    where lines.indices.contains(index) {
      let best = output.layers.lazy.compactMap(\.value.classification).first
        .flatMap { LabelSelection().entries(of: $0).first }
      guard let best, Double(best.score) > turn.minimumScore, let angle = Int(best.label) else {
        continue
      }
      lines[index].turn(quarters: ((angle / 90) % 4 + 4) % 4)
    }
    crops[step] = lines
  }

  /// Returns the extracted lines that are a source.
  fileprivate func crops(for sources: [String: ChainSource]) -> [CroppedLine]? {
    for case .step(let name, _) in sources.values {
      if let crops = crops[name] { return crops }
    }
    return nil
  }

  /// Runs a model on extracted lines, those of similar lengths together.
  fileprivate mutating func run(
    _ model: Model, on crops: [CroppedLine], _ values: [String: [LayerValue]], _ step: ChainStep
  ) throws(ModelError) -> [ModelOutput] {
    let read =
      model.hasResults(as: .line) ? try ResultReader(model, .line).lines() : nil
    var outputs = [ModelOutput](repeating: .empty, count: crops.count)
    var lines = [[TextLine]](repeating: [], count: crops.count)
    let ratios = crops.map { Double($0.image.uprightWidth) / Double($0.image.uprightHeight) }
    let order = crops.indices.sorted {
      ratios[$0] == ratios[$1] ? $0 < $1 : ratios[$0] < ratios[$1]
    }
    let size = step.batch ?? 1
    for start in stride(from: 0, to: order.count, by: size) {
      let group = order[start..<min(start + size, order.count)]
      let inputs = group.map { index in
        ModelInput.named(values.mapValues { $0[min(index, $0.count - 1)] })
      }
      let results = try model.run(sharingShapes: inputs)
      for (index, result) in zip(group, results) {
        guard let read else {
          outputs[index] = result
          continue
        }
        // The scores of all characters of a page would take much memory.
        lines[index] = try read(result).map(crops[index].placed)
      }
    }
    guard read != nil else { return outputs }
    output.linesByStep[step.name] = lines.flatMap { $0 }
    return []
  }
}

extension ImageBuffer {
  /// Returns the image as the detector enlarges small ones, and how much larger it is.
  fileprivate func enlarged(
    for detector: Model
  ) throws(ImageError) -> (image: ImageBuffer, scale: (x: Double, y: Double)) {
    let layer = detector.inputs.lazy.compactMap { layer in
      if case .image(let image) = layer.kind { image } else { nil }
    }.first
    guard let layer else { return (self, (1, 1)) }
    var preparation = ImagePreparation(layer)
    let size = preparation.enlargedSize(forWidth: width, height: height)
    guard size != (width, height) else { return (self, (1, 1)) }
    preparation = ImagePreparation(
      width: size.width, height: size.height, fit: .stretch, filter: layer.filter)
    return (
      try preparation(self, as: format).image,
      (Double(size.width) / Double(width), Double(size.height) / Double(height))
    )
  }
}

extension RegionCrop {
  /// Returns the image of a region; colors at the edge of the image continue beyond it.
  fileprivate func crop(
    from image: ImageBuffer, by map: AffineMap
  ) throws(ModelError) -> LayerValue {
    do throws(ImageError) {
      return .image(try image.warpedExtendingEdges(by: map, width: size, height: size))
    } catch {
      throw ModelError(.input, .image(error))
    }
  }
}

extension ModelDescription {
  /// Whether the outputs describe poses, and not the keypoints of detections.
  var describesPoses: Bool {
    outputs.contains { $0.role == .keypoints || $0.role == .heatmap }
      && !outputs.contains { $0.role == .boxes }
  }
}

extension Alignment {
  /// Returns the aligned region of an image.
  fileprivate func crop(
    from image: ImageBuffer, by map: AffineMap
  ) throws(ModelError) -> LayerValue {
    do throws(ImageError) {
      let aligned = try image.warped(by: map, width: width, height: height)
      guard whitens else { return .image(aligned) }
      let numbers = aligned.whitened()
      return .numbers(
        Numbers(.floats(numbers), shape: [height, width, numbers.count / (width * height)]))
    } catch {
      throw ModelError(.input, .image(error))
    }
  }
}
