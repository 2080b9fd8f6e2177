package import TensorIOBundle
package import TensorIOCore
package import TensorIOImage
import TensorIOJSON

/// Makes of a model's raw outputs what the bundle's task says that they mean.
package struct TaskPostprocessor: Sendable {
  /// What is shown of a run.
  package struct ProcessedOutput: Sendable {
    /// The outputs that are shown as they are.
    package var output: ModelOutput
    /// What was found, by a detector.
    package var detections: DetectionResult?
  }

  private enum Decoder: Sendable {
    case detections(DetectionDecoder)
    case embedding(EmbeddingDecoder)
    case image(ImageOutputDecoder)
  }

  private var decoder: Decoder?
  /// The outputs that mean nothing to people by themselves.
  private let hiddenOutputs: Set<String>
  private var includesRawOutputs: Bool
  /// The output that is the embedding of each thing of a chain.
  private let embeddingOutput: String?
  /// Who has a name among what is found.
  private let galleryMatcher: GalleryMatcher?

  /// What makes answers of a model's outputs.
  package init(
    _ model: Model, _ options: ResultOptions = ResultOptions(), galleryMatcher: GalleryMatcher? = nil
  ) throws(ModelError) {
    self.galleryMatcher = galleryMatcher
    embeddingOutput = model.outputs.first { $0.role == .embedding }?.name
    var hidden = Set(model.state.map(\.output))
    switch model.bundle.description.task?.type {
    case "detection":
      var reader = try DetectionDecoder(model)
      options.apply(to: &reader.options)
      self.decoder = .detections(reader)
      hidden.formUnion(reader.outputs)
    case "embedding": decoder = .embedding(try EmbeddingDecoder(model))
    case "style", "image": decoder = .image(try ImageOutputDecoder(model))
    default: decoder = nil
    }
    self.hiddenOutputs = hidden
    includesRawOutputs = options.includesRawOutputs
  }

  /// The same for somebody with other wishes than the bundle's task has.
  package func applying(_ options: ResultOptions) -> TaskPostprocessor {
    var answering = self
    answering.includesRawOutputs = options.includesRawOutputs
    if case .detections(var reader) = decoder {
      options.apply(to: &reader.options)
      answering.decoder = .detections(reader)
    }
    return answering
  }

  /// What is shown of a run's outputs.
  package func process(_ output: ModelOutput) throws(ModelError) -> ProcessedOutput {
    var answer = ProcessedOutput(output: visibleOutput(output))
    // A placeholder has nothing to say.
    guard !output.layers.isEmpty else { return answer }
    switch decoder {
    case .detections(let reader):
      let found = try reader.decode(output)
      answer.detections = DetectionResult(
        detections: found, attributes: try attributes(of: found.rows, in: output))
    case .embedding(let reader):
      let values = try reader.decode(output).values
      replace(reader.output, by: "embedding", .numbers(Numbers(.floats(values))), in: &answer)
    case .image(let reader):
      replace(reader.output, by: reader.output, .image(try reader.decode(output)), in: &answer)
    case nil: break
    }
    return answer
  }

  private func visibleOutput(_ output: ModelOutput) -> ModelOutput {
    guard !includesRawOutputs, !hiddenOutputs.isEmpty else { return output }
    return ModelOutput(
      layers: output.layers.filter { !hiddenOutputs.contains($0.name) && !isPerDetection($0) },
      imageGeometries: output.imageGeometries)
  }

  /// Whether an output has a value for each thing that was found.
  private func isPerDetection(_ layer: ModelOutput.Layer) -> Bool {
    guard case .detections = decoder, case .list = layer.value else { return false }
    return true
  }

  /// What a chain's outputs say of the things in some rows.
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
    return DetectionAttributes(layers: layers, recognition: try galleryMatcher.recognize( embedding))
  }

  /// Puts an answer in the place of the output that it was made of.
  ///
  /// Where the raw output is wanted, too, and has the same name, it is told apart.
  private func replace(
    _ name: String, by key: String, _ value: LayerValue, in answer: inout ProcessedOutput
  ) {
    let layers = answer.output.layers.flatMap { layer -> [ModelOutput.Layer] in
      guard layer.name == name else { return [layer] }
      let told = ModelOutput.Layer(name: key, value: value)
      guard includesRawOutputs else { return [told] }
      let raw = name == key ? "\(name)_raw" : name
      return [told, ModelOutput.Layer(name: raw, value: layer.value)]
    }
    answer.output = ModelOutput(layers: layers, imageGeometries: answer.output.imageGeometries)
  }
}

/// What somebody who asks wants of the answers, in place of what the bundle's task says.
package struct ResultOptions: Sendable {
  /// How many labels or detections.
  package var top: Int?
  /// The score above which labels are shown.
  package var above: Float?
  /// The least score of labels and detections.
  package var threshold: Float?
  /// The share of a surer detection above which another is dropped.
  package var iouThreshold: Double?
  /// The only labels that are shown; all, when there are none.
  package var allow: [String] = []
  /// The labels that are left out.
  package var deny: [String] = []
  /// Whether the outputs that a task's answer was made of are wanted as well.
  package var includesRawOutputs = false

  /// Wants what the bundle's task says.
  package init() {}

  /// Which labels are shown.
  package func labelSelection(for task: ModelTask?) -> LabelSelection {
    var selection = LabelSelection(task)
    selection.maxCount = top ?? selection.maxCount
    selection.exclusiveThreshold = above
    selection.threshold = threshold ?? selection.threshold
    apply(to: &selection.filter)
    return selection
  }

  /// Changes which detections are wanted.
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

// The description's rules have seen to it that a setting of a known task is of its type; in a task
// that an application makes itself, what is of another type counts as left out.
extension ModelTask {
  func float(_ key: String) -> Float? { value(of: key)?.float }

  func int(_ key: String) -> Int? { value(of: key)?.int.flatMap { Int(exactly: $0) } }

  func bool(_ key: String) -> Bool? { value(of: key)?.bool }

  func string(_ key: String) -> String? { value(of: key)?.string }

  func strings(_ key: String) -> [String]? { value(of: key)?.elements?.compactMap(\.string) }

  func enumValue<Choice: RawRepresentable>(_ key: String) -> Choice? where Choice.RawValue == String {
    string(key).flatMap(Choice.init)
  }

  var labelFilter: LabelFilter {
    LabelFilter(allow: strings("allow").map(Set.init), deny: Set(strings("deny") ?? []))
  }
}

extension [Layer] {
  /// The name of the output that has a role.
  func outputName(for role: OutputRole) -> String? { first { $0.role == role }?.name }
}

extension ModelInput {
  /// The first picture that goes in, whole, since what is decoded for a model may be smaller.
  package func firstImage(
    of layers: [Layer], orientation: ImageOrientation? = nil
  ) -> ImageBuffer? {
    switch firstImageValue(of: layers) {
    case .image(let image): image
    case .bytes(let bytes):
      try? ImageBuffer(decoding: bytes, DecodingOptions(orientation: orientation))
    default: nil
    }
  }

  /// The value of the first input that is a picture.
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
