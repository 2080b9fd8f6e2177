package import TensorIOBundle
package import TensorIOCore

/// Detection: objects with a class, a score and a box.
package struct DetectionTask: TaskHandler {
  package static let format = TaskFormat(
    "detection",
    settings: [
      "threshold": .number, "top": .positiveInteger, "iou": .fraction, "allow": .strings,
      "deny": .strings,
      "coordinates": .choice(["normalized", "pixels"]),
      "box_order": .choice(["yxyx", "xyxy", "cxcywh"]), "label": .string, "keypoints": .strings,
      "suppression": .choice(DetectionOptions.Suppression.allCases.map(\.rawValue)),
      "head": .choice(DetectionHeads.all.map { $0.name }),
      "activation": .choice(ScoreActivation.Function.allCases.map(\.rawValue)),
      "background_class": .choice(ScoreActivation.BackgroundClass.allCases.map(\.rawValue)),
      "strides": .positiveIntegers, "anchors": .string, "anchors_per_cell": .positiveInteger,
      "layout": .choice(ImageLayout.allCases.map(\.rawValue)), "scales": .positiveNumbers,
      "exponential_size": .boolean,
    ],
    requiredOutputs: [
      .role(.boxes),
      .role(.scores) { task in DetectionHeads.head(of: task)?.hasScoresOutput ?? true },
    ])

  private var decoder: DetectionDecoder
  /// The output with the embedding of each detection of a chain.
  private let embeddingOutput: String?
  private let galleryMatcher: GalleryMatcher?
  /// Decodes the masks of objects; `nil` for models without masks.
  private let maskDecoder: InstanceMaskDecoder?
  /// What to follow in a stream, and the minimum score of detections that start objects.
  private var tracking: (request: TrackingRequest, threshold: Float)?

  package init(_ source: OutputSource) throws(ModelError) {
    decoder = try DetectionDecoder(source)
    maskDecoder =
      source.outputs.outputName(for: .prototypes) == nil
      ? nil : try InstanceMaskDecoder(source)
    embeddingOutput = source.outputs.outputName(for: .embedding)
    galleryMatcher = source.attached(GalleryMatcher.self)
  }

  package static var canTrack: Bool { true }

  package mutating func apply(_ options: ResultOptions) {
    options.apply(to: &decoder.options)
    guard let request = options.tracking else { return }
    // Detections with lower scores continue objects.
    let threshold = decoder.options.threshold
    tracking = (request, threshold)
    decoder.options.threshold = ObjectCounter.lowThreshold(for: threshold)
  }

  package func makeSmoother() -> (any ResultSmoother)? {
    tracking.map { DetectionResultTracker($0.request, threshold: $0.threshold) }
  }

  package var replacedOutputs: Set<String> { Set(decoder.outputs) }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    let detections = try decoder.decode(output)
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
      replacing: Set(lists.map(\.name)))
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
