package import TensorIOBundle
package import TensorIOCore
package import TensorIOData
import TensorIOJSON
package import TensorIOLiteRT
import TensorIOSystem
package import TensorIOTensorFlow

/// The inputs of a bundle draft: a model with its metadata and labels.
package struct DraftSources: Sendable {
  /// The model's signature.
  package var signature: ModelSignature
  /// The signature whose function trains the model; `nil` if there is none.
  var trainingSignature: ModelSignature?
  /// The model's runtime.
  package var backend = BackendIdentifier.tflite
  /// The metadata embedded in the model.
  package var metadata: TFLiteMetadata?
  /// The metadata that the exporter wrote beside the model.
  package var exportMetadata: AutoMLMetadata?
  /// The labels of an output's elements.
  package var labels: LabelList?
  /// The name of the model file, without its extension.
  package let fileStem: String
  /// The name requested by the user.
  package var name: String?
  /// The pixel range requested by the user.
  package var pixelRange: PixelRange?
  /// What the model applies to each input first; `nil` for an input that its graph does not show.
  package var rescalings: [InputRescaling?] = []

  /// The file name of the model in the drafted bundle.
  var bundledModelName: String { backend == .tensorflow ? "model" : "model.tflite" }

  /// The name that the layer of a tensor must have, or `nil` if the runtime identifies layers by
  /// position.
  func requiredName(of tensor: TensorInfo) -> String? {
    backend == .tensorflow ? tensor.signatureKey ?? tensor.name : nil
  }

  /// Names the classes after the labels of images, in alphabetical order, if the model has no labels
  /// and as many classes.
  package mutating func addLabels(of images: LabeledImages) {
    guard labels == nil,
      signature.outputs.contains(where: { $0.shape.elementCount == images.labels.count })
    else { return }
    labels = LabelList(labels: images.labels, file: images.path, source: .labels)
  }

  /// What the model applies to an input first; `nil` if its graph does not show it.
  func rescaling(ofInput index: Int) -> InputRescaling? {
    rescalings.indices.contains(index) ? rescalings[index] : nil
  }

  /// Whether the model was probably exported from Keras, which resizes images without cropping.
  var isFromKeras: Bool {
    backend == .tensorflow || signature.inputs.contains { $0.name.hasPrefix("serving_default_") }
  }

  /// Returns the embedded metadata of an input.
  func metadata(forInput index: Int) -> TFLiteMetadata.TensorMetadata? {
    metadata.flatMap { $0.inputs.indices.contains(index) ? $0.inputs[index] : nil }
  }

  /// Returns the embedded metadata of an output.
  func metadata(forOutput index: Int) -> TFLiteMetadata.TensorMetadata? {
    metadata.flatMap { $0.outputs.indices.contains(index) ? $0.outputs[index] : nil }
  }
}

/// Labels and the file they come from.
package struct LabelList: Sendable, Equatable {
  package var labels: [String]
  package let file: String
  package let source: DraftedValue.Source

  package init(
    labels: [String], file: String, source: DraftedValue.Source
  ) {
    self.labels = labels
    self.file = file
    self.source = source
  }

  /// Whether the first label denotes the background class.
  var startsWithBackground: Bool {
    labels.first.map { Self.backgroundNames.contains($0.lowercased()) } ?? false
  }

  private static let backgroundNames: Set<String> = [
    "background", "???", "dummy", "__background__",
  ]
}

extension DraftSources {
  /// Loads the model at `path` and reads its metadata and labels.
  package init(
    model path: String, labels: String?, exportMetadata: String?, name: String?,
    pixelRange: PixelRange? = nil,
    on runtimes: (litert: LiteRTBackend, tensorflow: TensorFlowBackend)
  ) throws(OperationError) {
    try Self.rejectOtherFormats(path)
    if FileKind(at: path) == .directory {
      let model = try Self.loadModel(path) { (file) throws(ModelError) in
        try runtimes.tensorflow.model(at: file)
      }
      (signature, backend) = (model.signature, .tensorflow)
      trainingSignature = model.signatures.first { $0.name == ModelMode.train.rawValue }
      rescalings = model.rescalings
    } else {
      let model = try Self.loadModel(path) { (file) throws(ModelError) in
        try runtimes.litert.model(at: file)
      }
      (signature, backend, metadata) = (model.signature, .tflite, model.modelMetadata)
      rescalings = model.rescalings
    }
    fileStem = FilePath.stem(of: path)
    (self.name, self.pixelRange) = (name, pixelRange)
    if let exportMetadata { self.exportMetadata = try Self.readExportMetadata(exportMetadata) }
    self.labels =
      if let labels {
        try Self.readLabels(labels)
      } else {
        backend == .tflite ? try Self.embeddedLabels(in: path, metadata) : nil
      }
  }

  /// Throws an error that explains how to convert a file of another framework.
  private static func rejectOtherFormats(_ path: String) throws(OperationError) {
    guard FileKind(at: path) == .file else { return }
    let remedy: String
    switch FilePath.pathExtension(of: path) {
    case "keras", "h5", "hdf5":
      remedy =
        "a Keras file has to be exported: keras.saving.load_model(\"\(path)\").export(\"folder\") "
        + "writes a SavedModel in Python"
    case "pt", "pth", "pt2", "onnx", "safetensors":
      remedy = "the model has to be converted to .tflite or a SavedModel"
    default: return
    }
    throw OperationError(
      ModelError(.runtime, .unmetRequirement("not a model of LiteRT or TensorFlow; \(remedy)"))
        .in(file: path))
  }

  private static func loadModel<Loaded: RuntimeModel>(
    _ path: String, _ load: (ModelFile) throws(ModelError) -> Loaded
  ) throws(OperationError) -> Loaded {
    do throws(ModelError) {
      let model = try load(ModelFile(path: path, name: path))
      // Rejects models that the runtime cannot prepare.
      _ = try model.makeSession(SessionOptions())
      return model
    } catch {
      throw OperationError(error.in(file: path))
    }
  }

  // MARK: Files given by the user

  private static func readLabels(_ path: String) throws(OperationError) -> LabelList {
    let bytes = try bytes(of: path, limit: LabelsFile.maxBytes)
    return LabelList(labels: try lines(bytes, path), file: path, source: .labels)
  }

  private static func readExportMetadata(_ path: String) throws(OperationError) -> AutoMLMetadata {
    let bytes = try bytes(of: path, limit: JSONLimits.maxDescriptionBytes)
    do throws(JSONError) {
      return try AutoMLMetadata(bytes)
    } catch {
      throw .input("invalid-json", "\(path): \(error)")
    }
  }

  private static func bytes(of path: String, limit: Int) throws(OperationError) -> [UInt8] {
    do throws(ModelError) {
      return try FileBytes.read(path, limit: limit, .any, stage: .input)
    } catch {
      throw OperationError(error)
    }
  }

  private static func lines(_ bytes: [UInt8], _ file: String) throws(OperationError) -> [String] {
    do throws(LabelsFile.ParseError) {
      return try LabelsFile.parse(bytes)
    } catch {
      throw .input("unreadable-file", "\(file): \(error.message)")
    }
  }

  // MARK: Files embedded in the model

  /// Reads the labels from the archive appended to the model: the file that the metadata names,
  /// else the only text file.
  private static func embeddedLabels(
    in path: String, _ metadata: TFLiteMetadata?
  ) throws(OperationError) -> LabelList? {
    do throws(ArchiveError) {
      guard let archive = try appendedArchive(of: path) else { return nil }
      let named = metadata?.outputs.flatMap(\.labelFiles) ?? []
      let texts = archive.entries.filter { $0.name.text.lowercased().hasSuffix(".txt") }
      let entry =
        archive.entries.first { named.contains($0.name.text) }
        ?? (texts.count == 1 ? texts.first : nil)
      guard let entry, !entry.isFolder else { return nil }
      let bytes = try archive.contents(of: entry, limit: LabelsFile.maxBytes)
      let file = entry.name.text
      guard let labels = try? LabelsFile.parse(bytes) else { return nil }
      return LabelList(labels: labels, file: file, source: .embedded)
    } catch {
      throw OperationError(
        error.code, "\(path): \(error)",
        exitCode: .invalidBundle)
    }
  }

  /// Opens the archive appended to a model, which most models lack.
  private static func appendedArchive(of path: String) throws(ArchiveError) -> ZipArchive? {
    do throws(ArchiveError) {
      return try ZipArchive(at: path, prefix: .allowPrefix)
    } catch  where error.reason == .notAnArchive {
      return nil
    }
  }
}

extension RescalingModel {
  /// What the model applies to each input first.
  fileprivate var rescalings: [InputRescaling?] {
    signature.inputs.indices.map { rescaling(ofInput: $0) }
  }
}
