internal import TensorIO
internal import TensorIOCore
internal import TensorIOTasks

/// Makes of a model's raw outputs what the bundle's task says that they mean.
struct TaskAnswering {
  /// What is shown of a run.
  struct Answer {
    /// The outputs that are shown as they are.
    var output: ModelOutput
    /// What was found, by a detector.
    var detections: DetectionsAnswer?
  }

  private enum Reader {
    case detections(DetectionReader)
    case embedding(EmbeddingReader)
    case picture(PictureReader)
  }

  private let reader: Reader?
  /// The outputs that mean nothing to people by themselves.
  private let hidden: Set<String>
  private let wantsRaw: Bool

  init(_ model: Model, _ changes: TaskChanges) throws(ModelError) {
    var hidden = Set(model.state.map(\.output))
    switch model.bundle.description.task?.type {
    case "detection":
      var reader = try DetectionReader(model)
      changes.change(&reader.options)
      self.reader = .detections(reader)
      hidden.formUnion(reader.outputs)
    case "embedding": reader = .embedding(try EmbeddingReader(model))
    case "style", "image": reader = .picture(try PictureReader(model))
    default: reader = nil
    }
    self.hidden = hidden
    wantsRaw = changes.wantsRaw
  }

  /// What is shown of a run's outputs.
  func answer(_ output: ModelOutput) throws(ModelError) -> Answer {
    var answer = Answer(output: shown(output))
    // A placeholder has nothing to say.
    guard !output.layers.isEmpty else { return answer }
    switch reader {
    case .detections(let reader):
      answer.detections = DetectionsAnswer(detections: try reader.read(output))
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
      layers: output.layers.filter { !hidden.contains($0.name) }, geometries: output.geometries)
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
