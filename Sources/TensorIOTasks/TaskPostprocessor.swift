package import TensorIOBundle
package import TensorIOCore
package import TensorIOImage
import TensorIOJSON

/// Converts a model's raw outputs into the result of the bundle's task.
package struct TaskPostprocessor: Sendable {
  /// The postprocessed outputs of a run.
  package struct ProcessedOutput: Sendable {
    /// The outputs to display.
    package var output: ModelOutput
    /// The detections, if the task is detection.
    package var detections: DetectionResult?
  }

  private enum Decoder: Sendable {
    case detections(DetectionDecoder)
    case embedding(EmbeddingDecoder)
    case image(ImageOutputDecoder)
  }

  private var decoder: Decoder?
  /// The raw outputs that the result replaces.
  private let hiddenOutputs: Set<String>
  private var includesRawOutputs: Bool
  /// The output with the embedding of each detection of a chain.
  private let embeddingOutput: String?
  /// The gallery that recognizes embeddings.
  private let galleryMatcher: GalleryMatcher?

  /// Creates a postprocessor for a model.
  package init(
    _ model: Model, _ options: ResultOptions = ResultOptions(),
    galleryMatcher: GalleryMatcher? = nil
  ) throws(ModelError) {
    self.galleryMatcher = galleryMatcher
    embeddingOutput = model.outputs.first { $0.role == .embedding }?.name
    var hidden = Set(model.state.map(\.output))
    switch model.bundle.description.task?.type {
    case "detection":
      var decoder = try DetectionDecoder(model)
      options.apply(to: &decoder.options)
      self.decoder = .detections(decoder)
      hidden.formUnion(decoder.outputs)
    case "embedding": decoder = .embedding(try EmbeddingDecoder(model))
    case "style", "image": decoder = .image(try ImageOutputDecoder(model))
    default: decoder = nil
    }
    self.hiddenOutputs = hidden
    includesRawOutputs = options.includesRawOutputs
  }

  /// Returns the postprocessor with other options.
  package func applying(_ options: ResultOptions) -> TaskPostprocessor {
    var copy = self
    copy.includesRawOutputs = options.includesRawOutputs
    if case .detections(var decoder) = decoder {
      options.apply(to: &decoder.options)
      copy.decoder = .detections(decoder)
    }
    return copy
  }

  /// Postprocesses the outputs of a run.
  package func process(_ output: ModelOutput) throws(ModelError) -> ProcessedOutput {
    var result = ProcessedOutput(output: visibleOutput(output))
    // There is nothing to decode in an empty output.
    guard !output.layers.isEmpty else { return result }
    switch decoder {
    case .detections(let decoder):
      let detections = try decoder.decode(output)
      result.detections = DetectionResult(
        detections: detections, attributes: try attributes(of: detections.rows, in: output))
    case .embedding(let decoder):
      let values = try decoder.decode(output).values
      replace(decoder.output, by: "embedding", .numbers(Numbers(.floats(values))), in: &result)
    case .image(let decoder):
      replace(decoder.output, by: decoder.output, .image(try decoder.decode(output)), in: &result)
    case nil: break
    }
    return result
  }

  private func visibleOutput(_ output: ModelOutput) -> ModelOutput {
    guard !includesRawOutputs, !hiddenOutputs.isEmpty else { return output }
    return ModelOutput(
      layers: output.layers.filter { !hiddenOutputs.contains($0.name) && !isPerDetection($0) },
      imageGeometries: output.imageGeometries)
  }

  /// Returns whether an output has a value for each detection.
  private func isPerDetection(_ layer: ModelOutput.Layer) -> Bool {
    guard case .detections = decoder, case .list = layer.value else { return false }
    return true
  }

  /// Returns the outputs of a chain for the detections in some rows.
  private func attributes(
    of rows: [Int], in output: ModelOutput
  ) throws(ModelError) -> [DetectionAttributes] {
    let lists = output.layers.filter(isPerDetection)
    guard !lists.isEmpty else { return [] }
    return try rows.map { (row) throws(ModelError) in
      try attributes(lists.compactMap { value(of: $0, at: row) })
    }
  }

  private func value(of layer: ModelOutput.Layer, at row: Int) -> ModelOutput.Layer? {
    guard case .list(let values) = layer.value, row < values.count else { return nil }
    let isEmbedding = layer.name == embeddingOutput
    return .init(name: isEmbedding ? "embedding" : layer.name, value: values[row])
  }

  private func attributes(_ layers: [ModelOutput.Layer]) throws(ModelError) -> DetectionAttributes {
    guard let galleryMatcher, let value = layers.first(where: { $0.name == "embedding" })?.value,
      case .numbers(let numbers) = value
    else { return DetectionAttributes(layers: layers) }
    let embedding = Embedding((0..<numbers.count).map { Float(numbers[$0]) })
    return DetectionAttributes(
      layers: layers, recognition: try galleryMatcher.recognize(embedding))
  }

  /// Replaces a raw output with the decoded value.
  ///
  /// If raw outputs are included, the raw output is kept, renamed if it has the same name.
  private func replace(
    _ name: String, by key: String, _ value: LayerValue, in result: inout ProcessedOutput
  ) {
    let layers = result.output.layers.flatMap { layer -> [ModelOutput.Layer] in
      guard layer.name == name else { return [layer] }
      let decoded = ModelOutput.Layer(name: key, value: value)
      guard includesRawOutputs else { return [decoded] }
      let rawName = name == key ? "\(name)_raw" : name
      return [decoded, ModelOutput.Layer(name: rawName, value: layer.value)]
    }
    result.output = ModelOutput(layers: layers, imageGeometries: result.output.imageGeometries)
  }
}

/// Options that override the settings of the bundle's task.
package struct ResultOptions: Sendable {
  /// The maximum number of labels or detections.
  package var top: Int?
  /// The score that labels must exceed.
  package var above: Float?
  /// The minimum score of labels and detections.
  package var threshold: Float?
  /// The maximum intersection over union of detections.
  package var iouThreshold: Double?
  /// The only labels to return; empty for all.
  package var allow: [String] = []
  /// The labels to exclude.
  package var deny: [String] = []
  /// Whether the raw outputs are included.
  package var includesRawOutputs = false

  /// Creates options that override nothing.
  package init() {}

  /// Returns the label selection of a task with these options applied.
  package func labelSelection(for task: ModelTask?) -> LabelSelection {
    var selection = LabelSelection(task)
    selection.maxCount = top ?? selection.maxCount
    selection.exclusiveThreshold = above
    selection.threshold = threshold ?? selection.threshold
    apply(to: &selection.filter)
    return selection
  }

  /// Applies the options to detection options.
  func apply(to options: inout DetectionOptions) {
    options.top = top ?? options.top
    options.threshold = threshold ?? options.threshold
    options.iouThreshold = iouThreshold ?? options.iouThreshold
    apply(to: &options.filter)
  }

  private func apply(to filter: inout LabelFilter) {
    if !allow.isEmpty { filter.allow = Set(allow) }
    filter.deny.formUnion(deny)
  }
}

// The parser has validated the types of settings of known tasks. In a task that an application
// creates, a setting of the wrong type is ignored.
extension ModelTask {
  func float(_ key: String) -> Float? { value(of: key)?.float }

  func int(_ key: String) -> Int? { value(of: key)?.int.flatMap { Int(exactly: $0) } }

  func bool(_ key: String) -> Bool? { value(of: key)?.bool }

  func string(_ key: String) -> String? { value(of: key)?.string }

  func strings(_ key: String) -> [String]? { value(of: key)?.elements?.compactMap(\.string) }

  func enumValue<Choice: RawRepresentable>(
    _ key: String
  ) -> Choice? where Choice.RawValue == String {
    string(key).flatMap(Choice.init)
  }

  var labelFilter: LabelFilter {
    LabelFilter(allow: strings("allow").map(Set.init), deny: Set(strings("deny") ?? []))
  }
}

extension [Layer] {
  /// Returns the name of the output with a role.
  func outputName(for role: OutputRole) -> String? { first { $0.role == role }?.name }
}

extension ModelInput {
  /// Returns the first image among the inputs at full resolution, which may be higher than the
  /// resolution decoded for the model.
  ///
  /// An encoded image is reduced to sides of at most `maxSide` pixels, if given.
  package func firstImage(
    of layers: [Layer], orientation: ImageOrientation? = nil, maxSide: Int? = nil
  ) -> ImageBuffer? {
    switch firstImageValue(of: layers) {
    case .image(let image): return image
    case .bytes(let bytes):
      guard let maxSide else {
        return try? ImageBuffer(decoding: bytes, DecodingOptions(orientation: orientation))
      }
      return try? ImageBuffer(decoding: bytes, maxSide: maxSide, orientation: orientation)
    default: return nil
    }
  }

  /// Returns the cost of decoding the first image among the inputs with sides of at most `maxSide`
  /// pixels.
  package func firstImageCost(of layers: [Layer], maxSide: Int) -> ImageDecodingCost {
    guard case .bytes(let bytes) = firstImageValue(of: layers) else { return .none }
    return ImageDecodingCost(of: bytes, maxSide: maxSide)
  }

  /// Returns the value of the first image input.
  private func firstImageValue(of layers: [Layer]) -> LayerValue? {
    guard let index = layers.firstIndex(where: \.isImage) else { return nil }
    switch self {
    case .named(let values): return values[layers[index].name]
    case .value(.list(let values)) where layers.count > 1:
      return index < values.count ? values[index] : nil
    case .value(let value): return layers.count == 1 ? value : nil
    }
  }
}
