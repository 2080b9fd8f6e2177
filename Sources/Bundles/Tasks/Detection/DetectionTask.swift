package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Detection: objects with a class, a score and a box, in pixels of the caller's image.
///
/// Outputs are identified by their `role`. The bundle's task determines their format and the
/// detections to return; change ``options`` to override it.
package struct DetectionTask: ModelTask {
  /// The format of the outputs and the detections to return.
  package var options: DetectionOptions
  let roles: DetectionRoles
  /// The decoder of raw outputs; `nil` if the outputs are decoded already.
  let head: (any DetectionHead)?
  let labels: [String]
  /// Calibrates the scores by class; `nil` if they are the model's own.
  let calibration: ScoreCalibration?
  let coordinateMap: ImageCoordinateMap
  /// Decodes the masks of objects; `nil` for models without masks.
  private let maskDecoder: InstanceMaskDecoder?
  /// The output with the embedding of each detection of a chain.
  private let embeddingOutput: String?
  private let galleryMatcher: GalleryMatcher?
  /// What to follow in a stream, and the minimum score of detections that start objects.
  private var tracking: (request: TrackingRequest, threshold: Float)?

  package init(_ model: ModelInfo) throws(ModelError) {
    options = DetectionOptions(model.task)
    let roles = try DetectionRoles(model)
    self.roles = roles
    labels = try model.labels()
    calibration = try model.scoreCalibration()
    coordinateMap = ImageCoordinateMap(model.inputs)
    head = try DetectionHeads.head(of: model.task)?.init(
      HeadContext(model, coordinateMap, labelCount: labels.count))
    maskDecoder = try roles.prototypes.map { (prototypes) throws(ModelError) in
      try InstanceMaskDecoder(model, boxes: roles.boxes, prototypes: prototypes)
    }
    embeddingOutput = model.outputs.outputName(for: .embedding)
    galleryMatcher = model.attached(GalleryMatcher.self)
  }

  package static var canTrack: Bool { true }

  package mutating func apply(_ options: ResultOptions) {
    options.apply(to: &self.options)
    guard let request = options.tracking else { return }
    // Detections with lower scores continue objects.
    let threshold = self.options.minimumScore
    tracking = (request, threshold)
    self.options.minimumScore = ObjectCounter.minimumScore(for: threshold)
  }

  package func makeSmoother() -> (any ResultSmoother)? {
    tracking.map { DetectionResultTracker($0.request, threshold: $0.threshold) }
  }

  package var replacedOutputs: Set<String> { Set(roles.names) }

  package static func forms(for description: ModelDescription) -> [ResultForm] {
    let hasMasks = description.outputs.contains { $0.role == .prototypes }
    return (hasMasks ? [.outlines] : []) + [.boxes, .tracks]
  }

  package func reading(as form: ResultForm) -> ResultReading? {
    if form == .outlines {
      return .masks(minimumScore: options.minimumScore) { (output) throws(ModelError) in
        try masks(in: output)
      }
    }
    return .boxes(minimumScore: options.minimumScore) { (output) throws(ModelError) in
      try result(of: output).all
    }
  }

  /// Returns the masks of the detections, in their order.
  ///
  /// - Throws: A ``ModelError`` if the model has no masks.
  private func masks(in output: ModelOutput) throws(ModelError) -> [InstanceMask] {
    guard let maskDecoder else {
      throw ModelError(
        .bundle, .unmetRequirement("masks of objects require an output with the role prototypes"))
    }
    return try maskDecoder.masks(of: result(of: output), in: output)
  }

  package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    let detections = try result(of: output)
    // A chain has a list with a value for each detection.
    let lists = output.layers.filter { if case .list = $0.value { true } else { false } }
    let attributes =
      lists.isEmpty
      ? []
      : try detections.rows.map { (row) throws(ModelError) in
        try self.attributes(lists.compactMap { value(of: $0, at: row) })
      }
    return .result(
      DetectionResult(
        detections: detections, attributes: attributes,
        masks: try maskDecoder?.masks(of: detections, in: output) ?? []),
      replacing: replacedOutputs.union(lists.map(\.name)))
  }

  private func value(of layer: ModelOutput.Layer, at row: Int) -> ModelOutput.Layer? {
    guard case .list(let values) = layer.value, row < values.count else { return nil }
    let isEmbedding = layer.name == embeddingOutput
    return .init(
      name: isEmbedding ? DetectionAttributes.embeddingName : layer.name, value: values[row])
  }

  private func attributes(_ layers: [ModelOutput.Layer]) throws(ModelError) -> DetectionAttributes {
    var attributes = DetectionAttributes(layers: layers)
    if let galleryMatcher, let embedding = attributes.embedding {
      attributes.recognition = try galleryMatcher.recognize(embedding)
    }
    return attributes
  }
}
