package import TensorIOTensorFlow
import TensorIOJSON
import TensorIOSystem
package import TensorIOBundle
package import TensorIOCore
package import TensorIOLiteRT

/// All that is known of a model before a description of it is drafted.
package struct DraftSources: Sendable {
  /// The model's tensors.
  package let signature: ModelSignature
  /// The runtime that the model is for.
  package var backend = BackendIdentifier.tflite
  /// What the model says of itself.
  package var metadata: TFLiteMetadata?
  /// What its exporter says of it.
  package var exportMetadata: AutoMLMetadata?
  /// The names of an output's values.
  package var labels: LabelList?
  /// The name of the model's file, without its ending.
  package let fileStem: String
  /// What the user wants it to be called.
  package var name: String?

  /// The name that the weights have in the drafted bundle.
  var bundledModelName: String { backend == .tensorflow ? "model" : "model.tflite" }

  /// The name that a layer must have so that the runtime finds the tensor; `nil` where the order of
  /// the layers decides.
  func requiredName(of tensor: TensorInfo) -> String? {
    backend == .tensorflow ? tensor.signatureKey ?? tensor.name : nil
  }

  /// What the model says of an input.
  func metadata(forInput index: Int) -> TFLiteMetadata.TensorMetadata? {
    metadata.flatMap { $0.inputs.indices.contains(index) ? $0.inputs[index] : nil }
  }

  /// What the model says of an output.
  func metadata(forOutput index: Int) -> TFLiteMetadata.TensorMetadata? {
    metadata.flatMap { $0.outputs.indices.contains(index) ? $0.outputs[index] : nil }
  }
}

/// Labels, and the file from which they come.
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

  /// Whether the first label stands for what is none of the others.
  var startsWithBackground: Bool {
    labels.first.map { Self.backgroundNames.contains($0.lowercased()) } ?? false
  }

  private static let backgroundNames: Set<String> = ["background", "???", "dummy", "__background__"]
}

extension DraftSources {
  /// Gathers what there is to know of a model.
  package init(
    model path: String, labels: String?, exportMetadata: String?, name: String?,
    on runtimes: (litert: LiteRTBackend, tensorflow: TensorFlowBackend)
  ) throws(OperationError) {
    if FileKind(at: path) == .directory {
      let model = try Self.loadModel(path) { (file) throws(ModelError) in
        try runtimes.tensorflow.model(at: file)
      }
      (signature, backend) = (model.signature, .tensorflow)
    } else {
      let model = try Self.loadModel(path) { (file) throws(ModelError) in
        try runtimes.litert.model(at: file)
      }
      (signature, backend, metadata) = (model.signature, .tflite, model.modelMetadata)
    }
    fileStem = Self.stem(of: path)
    self.name = name
    if let exportMetadata { self.exportMetadata = try Self.readExportMetadata(exportMetadata) }
    self.labels =
      if let labels {
        try Self.readLabels(labels)
      } else {
        backend == .tflite ? try Self.embeddedLabels(in: path, metadata) : nil
      }
  }

  private static func loadModel<Loaded: RuntimeModel>(
    _ path: String, _ load: (ModelFile) throws(ModelError) -> Loaded
  ) throws(OperationError) -> Loaded {
    do throws(ModelError) {
      let model = try load(ModelFile(path: path, name: path))
      // What cannot be run is not worth a bundle.
      _ = try model.makeSession(SessionOptions())
      return model
    } catch {
      throw OperationError(error.in(file: path))
    }
  }

  package static func stem(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return file }
    return String(file[..<dot])
  }

  // MARK: Files that the user gives

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

  // MARK: Files in the model

  /// The labels that are packed behind the model, in the file that its metadata names, else in the
  /// only text.
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
        exitCode: error.isMissingLibrary ? .runtimeUnavailable : .invalidBundle)
    }
  }

  /// Most models carry no archive.
  private static func appendedArchive(of path: String) throws(ArchiveError) -> ZipArchive? {
    do throws(ArchiveError) {
      return try ZipArchive(at: path, prefix: .allowPrefix)
    } catch  where error.reason == .notAnArchive {
      return nil
    }
  }
}
