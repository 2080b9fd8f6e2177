import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTasks

/// The bundle of a backbone with a classifier as its last layers.
struct TaughtBundle: Sendable {
  /// The model whose embeddings are classified.
  let backbone: Backbone
  /// What is needed to teach the bundle again.
  let record: TeachingRecord
  /// The layers of the classifier.
  let layers: ClassifierHead
  /// The text of `CARD.md`.
  let card: String

  /// Writes the bundle atomically.
  ///
  /// - Parameters:
  ///   - path: The path of the new bundle.
  ///   - overwriting: Whether to replace an existing bundle.
  /// - Throws: `ModelError` if `path` exists and `overwriting` is false, or if the bundle cannot be written.
  func write(to path: String, overwriting: Bool) throws(ModelError) {
    let bundle = backbone.bundle
    let mode = bundle.description.defaultMode
    let file = try bundle.modelFile(for: mode)
    let pooling = HeadPooling(bundle.description.task, inputs: backbone.model.inputs)
    let location = try backbone.writer.location(ofHeadIn: file)
    let model = try backbone.writer.copy(
      of: file, adding: layers, pooling: pooling,
      for: ModelBinding(bundle.description, mode: mode))
    let name = FilePath.stem(of: FilePath.removingTrailingSlashes(path))
    let labels = record.classes + (layers.unknown == nil ? [] : [Teacher.unknownLabel])
    let assets = BundleFolder.assetsName + "/"
    var files: [String: [UInt8]] = [
      location.file: model,
      BundleFolder.descriptionName: description(
        named: name, output: location.output, scoreCount: labels.count
      ).json,
      "CARD.md": Array((card + "\n").utf8),
      assets + TeachingRecord.Files.labels: Array(labels.map { $0 + "\n" }.joined().utf8),
      assets + TeachingRecord.Files.record: record.bytes,
      assets + TeachingRecord.Files.backbone: backbone.description,
    ]
    if let trainable = backbone.trainableDescription, trainable != backbone.description {
      files[assets + TeachingRecord.Files.trainable] = trainable
    }
    try AtomicDirectoryWriter.write(path, overwriting: overwriting) {
      (staging) throws(ModelError) in
      try BundleCopy(of: bundle, replacing: files).write(to: staging)
    }
  }

  /// Returns the description of the new bundle.
  private func description(
    named name: String, output: String, scoreCount: Int
  ) -> ModelDescription {
    let original = backbone.bundle.description
    var description = original.resolved(for: original.defaultMode)
    (description.name, description.id, description.version) = (name, name, "1")
    description.backend = backbone.bundle.backend
    description.details = "Recognizes \(record.classes.joined(separator: ", "))."
    let isBatched =
      backbone.model.outputs.first { $0.role == .embedding }?.shape.dimensions.first == .some(nil)
    description.outputs = [
      Layer(
        name: output,
        kind: .array(
          NumericLayer(
            shape: TensorShape(isBatched ? [nil, scoreCount] : [scoreCount]), elementType: .float32,
            labelsFile: TeachingRecord.Files.labels)))
    ]
    description.task = nil
    description.task = TaskRegistry.shared.format(for: description).map { format in
      TaskDescription(type: format.names[0])
    }
    (description.examples, description.modeOverrides) = ([], [:])
    (description.modes, description.trainingOperations) = ([.predict], [])
    description.type = nil
    return description
  }
}
