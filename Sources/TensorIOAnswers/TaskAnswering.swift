package import TensorIOCore
internal import TensorIOTasks

/// Makes of a model's raw outputs what the bundle's task says that they mean.
package struct TaskAnswering: Sendable {
  /// What is shown of a run.
  package struct Answer: Sendable {
    /// The outputs that are shown as they are.
    package var output: ModelOutput
    /// What was found, by a detector.
    package var detections: DetectionsAnswer?
  }

  private enum Reader: Sendable {
    case detections(DetectionReader)
    case embedding(EmbeddingReader)
    case picture(PictureReader)
  }

  private var reader: Reader?
  /// The outputs that mean nothing to people by themselves.
  private let hidden: Set<String>
  private var wantsRaw: Bool
  /// The output that is the embedding of each thing of a chain.
  private let embedding: String?
  /// Who has a name among what is found.
  private let names: GalleryNames?

  /// What makes answers of a model's outputs.
  package init(
    _ model: Model, _ options: AnswerOptions = AnswerOptions(), names: GalleryNames? = nil
  ) throws(ModelError) {
    self.names = names
    embedding = model.outputs.first { $0.role == .embedding }?.name
    var hidden = Set(model.state.map(\.output))
    switch model.bundle.description.task?.type {
    case "detection":
      var reader = try DetectionReader(model)
      options.change(&reader.options)
      self.reader = .detections(reader)
      hidden.formUnion(reader.outputs)
    case "embedding": reader = .embedding(try EmbeddingReader(model))
    case "style", "image": reader = .picture(try PictureReader(model))
    default: reader = nil
    }
    self.hidden = hidden
    wantsRaw = options.wantsRaw
  }

  /// The same for somebody with other wishes than the bundle's task has.
  package func changed(by options: AnswerOptions) -> TaskAnswering {
    var answering = self
    answering.wantsRaw = options.wantsRaw
    if case .detections(var reader) = reader {
      options.change(&reader.options)
      answering.reader = .detections(reader)
    }
    return answering
  }

  /// What is shown of a run's outputs.
  package func answer(_ output: ModelOutput) throws(ModelError) -> Answer {
    var answer = Answer(output: shown(output))
    // A placeholder has nothing to say.
    guard !output.layers.isEmpty else { return answer }
    switch reader {
    case .detections(let reader):
      let found = try reader.read(output)
      answer.detections = DetectionsAnswer(
        detections: found, details: try details(of: found.rows, in: output))
    case .embedding(let reader):
      let values = try reader.read(output).values
      replace(reader.output, by: "embedding", .numbers(Numbers(.floats(values))), in: &answer)
    case .picture(let reader):
      replace(reader.output, by: reader.output, .image(try reader.read(output)), in: &answer)
    case nil: break
    }
    return answer
  }

  private func shown(_ output: ModelOutput) -> ModelOutput {
    guard !wantsRaw, !hidden.isEmpty else { return output }
    return ModelOutput(
      layers: output.layers.filter { !hidden.contains($0.name) && !isOfThings($0) },
      geometries: output.geometries)
  }

  /// Whether an output has a value for each thing that was found.
  private func isOfThings(_ layer: ModelOutput.Layer) -> Bool {
    guard case .detections = reader, case .list = layer.value else { return false }
    return true
  }

  /// What a chain's outputs say of the things in some rows.
  private func details(
    of rows: [Int], in output: ModelOutput
  ) throws(ModelError) -> [ThingDetails] {
    let lists = output.layers.filter(isOfThings)
    guard !lists.isEmpty else { return [] }
    return try rows.map { (row) throws(ModelError) in
      try details(lists.compactMap { value(of: $0, at: row) })
    }
  }

  private func value(of layer: ModelOutput.Layer, at row: Int) -> ModelOutput.Layer? {
    guard case .list(let values) = layer.value, row < values.count else { return nil }
    let isEmbedding = layer.name == embedding
    return .init(name: isEmbedding ? "embedding" : layer.name, value: values[row])
  }

  private func details(_ layers: [ModelOutput.Layer]) throws(ModelError) -> ThingDetails {
    guard let names, let value = layers.first(where: { $0.name == "embedding" })?.value,
      case .numbers(let numbers) = value
    else { return ThingDetails(layers: layers) }
    let embedding = Embedding((0..<numbers.count).map { Float(numbers[$0]) })
    return ThingDetails(layers: layers, recognition: try names.recognition(of: embedding))
  }

  /// Puts an answer in the place of the output that it was made of.
  ///
  /// Where the raw output is wanted, too, and has the same name, it is told apart.
  private func replace(
    _ name: String, by key: String, _ value: LayerValue, in answer: inout Answer
  ) {
    let layers = answer.output.layers.flatMap { layer -> [ModelOutput.Layer] in
      guard layer.name == name else { return [layer] }
      let told = ModelOutput.Layer(name: key, value: value)
      guard wantsRaw else { return [told] }
      let raw = name == key ? "\(name)_raw" : name
      return [told, ModelOutput.Layer(name: raw, value: layer.value)]
    }
    answer.output = ModelOutput(layers: layers, geometries: answer.output.geometries)
  }
}
