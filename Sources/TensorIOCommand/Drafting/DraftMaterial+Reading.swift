internal import TensorIOArchive
internal import TensorIOCore
internal import TensorIOLiteRT
internal import TensorIOSystem
internal import TensorIOTensorFlow

extension DraftMaterial {
  /// Gathers what there is to know of a model.
  init(
    model path: String, labels: String?, export: String?, name: String?,
    on runtimes: (litert: LiteRTBackend, tensorflow: TensorFlowBackend)
  ) throws(CommandFailure) {
    if FileKind(at: path) == .folder {
      let model = try Self.opened(path) { (file) throws(ModelError) in
        try runtimes.tensorflow.model(at: file)
      }
      (signature, backend) = (model.signature, .tensorflow)
    } else {
      let model = try Self.opened(path) { (file) throws(ModelError) in
        try runtimes.litert.model(at: file)
      }
      (signature, backend, metadata) = (model.signature, .tflite, model.selfDescription)
    }
    stem = Self.stem(of: path)
    self.name = name
    if let export { self.export = try Self.export(export) }
    self.labels =
      if let labels {
        try Self.labels(labels)
      } else {
        backend == .tflite ? try Self.packedLabels(in: path, metadata) : nil
      }
  }

  private static func opened<Loaded: RuntimeModel>(
    _ path: String, _ load: (ModelFile) throws(ModelError) -> Loaded
  ) throws(CommandFailure) -> Loaded {
    do throws(ModelError) {
      let model = try load(ModelFile(path: path, name: path))
      // What cannot be run is not worth a bundle.
      _ = try model.makeSession(SessionOptions())
      return model
    } catch {
      throw CommandFailure(error.in(file: path))
    }
  }

  static func stem(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return file }
    return String(file[..<dot])
  }

  // MARK: Files that the user gives

  private static func labels(_ path: String) throws(CommandFailure) -> LabelList {
    let bytes = try bytes(of: path, limit: Labels.maximumBytes)
    return LabelList(labels: try lines(bytes, path), file: path, source: .labels)
  }

  private static func export(_ path: String) throws(CommandFailure) -> ExportMetadata {
    let bytes = try bytes(of: path, limit: JSONLimits.descriptionBytes)
    do throws(JSONError) {
      return try ExportMetadata(bytes)
    } catch {
      throw .input("invalid-json", "\(path): \(error)")
    }
  }

  private static func bytes(of path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    do throws(ModelError) {
      return try FileBytes.read(path, limit: limit, .anything, stage: .input)
    } catch {
      throw CommandFailure(error)
    }
  }

  private static func lines(_ bytes: [UInt8], _ file: String) throws(CommandFailure) -> [String] {
    do throws(Labels.Fault) {
      return try Labels.read(bytes)
    } catch {
      throw .input("unreadable-file", "\(file): \(error.problem)")
    }
  }

  // MARK: Files in the model

  /// The labels that are packed behind the model, in the file that its metadata names, else in the
  /// only text.
  private static func packedLabels(
    in path: String, _ metadata: TFLiteMetadata?
  ) throws(CommandFailure) -> LabelList? {
    do throws(ArchiveError) {
      guard let archive = try archive(behind: path) else { return nil }
      let named = metadata?.outputs.flatMap(\.labelFiles) ?? []
      let texts = archive.entries.filter { $0.name.text.lowercased().hasSuffix(".txt") }
      let entry =
        archive.entries.first { named.contains($0.name.text) }
        ?? (texts.count == 1 ? texts.first : nil)
      guard let entry, !entry.isFolder else { return nil }
      let bytes = try archive.contents(of: entry, limit: Labels.maximumBytes)
      let file = entry.name.text
      guard let labels = try? Labels.read(bytes) else { return nil }
      return LabelList(labels: labels, file: file, source: .packed)
    } catch {
      throw CommandFailure(error, path)
    }
  }

  /// Most models carry no archive.
  private static func archive(behind path: String) throws(ArchiveError) -> ZipArchive? {
    do throws(ArchiveError) {
      return try ZipArchive(at: path, after: .anything)
    } catch  where error.reason == .notAnArchive {
      return nil
    }
  }
}
