public import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTasks

/// Classes that a ``Teacher`` has fitted, before they are written to a bundle.
public struct TaughtModel: Sendable {
  /// What was measured.
  public let report: TeachingReport
  let backbone: Backbone
  let record: TeachingRecord
  /// The classifier.
  package let head: FittedHead

  /// Writes a bundle with the classifier.
  ///
  /// Its model file is that of the backbone with the classifier as last layers. If unknown inputs are rejected, the last
  /// label is ``Teacher/unknownLabel``. Its card states the backbone, the data and the accuracy.
  ///
  /// The bundle is written atomically: after an interruption, `path` has the previous contents or the complete new bundle.
  ///
  /// - Parameters:
  ///   - path: The path of the new bundle.
  ///   - overwriting: Whether to replace an existing bundle.
  /// - Throws: `ModelError/alreadyExists` if `path` exists and `overwriting` is false, and
  ///   `ModelError/unwritable` if the bundle cannot be written.
  public func export(to path: String, overwriting: Bool = false) throws(ModelError) {
    let bundle = backbone.bundle
    let mode = bundle.description.defaultMode
    let file = try bundle.modelFile(for: mode)
    let pooling = HeadPooling(bundle.description.task, inputs: backbone.model.inputs)
    let layers = head.head(maxDistance: report.unknown?.maxDistance)
    let model = try backbone.writer.copy(
      of: file, adding: layers, pooling: pooling,
      for: ModelBinding(bundle.description, mode: mode))
    let name = FilePath.stem(of: FilePath.removingTrailingSlashes(path))
    let labels = record.classes + (layers.unknown == nil ? [] : [Teacher.unknownLabel])
    let assets = BundleFolder.assetsName + "/"
    let files: [String: [UInt8]] = [
      file.name: model,
      BundleFolder.descriptionName: description(named: name, scoreCount: labels.count).json,
      "CARD.md": Array((report.card + "\n").utf8),
      assets + TeachingRecord.Files.labels: Array(labels.map { $0 + "\n" }.joined().utf8),
      assets + TeachingRecord.Files.record: record.bytes,
      assets + TeachingRecord.Files.backbone: backbone.description,
    ]
    try AtomicDirectoryWriter.write(path, overwriting: overwriting) {
      (staging) throws(ModelError) in
      try BundleCopy(of: bundle, replacing: files).write(to: staging)
    }
  }

  /// Returns the description of the new bundle.
  private func description(named name: String, scoreCount: Int) -> ModelDescription {
    let original = backbone.bundle.description
    var description = original.resolved(for: original.defaultMode)
    (description.name, description.id, description.version) = (name, name, "1")
    description.details = "Recognizes \(record.classes.joined(separator: ", "))."
    let isBatched =
      backbone.model.outputs.first { $0.role == .embedding }?.shape.dimensions.first == .some(nil)
    description.outputs = [
      Layer(
        name: ClassifierHead.outputName,
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
