package import TensorIOBundle
package import TensorIOCore
package import TensorIOSystem

extension RuntimeDescriptor {
  /// LiteRT, which runs `.tflite` files.
  package static let liteRT = RuntimeDescriptor(
    .tflite, displayName: "LiteRT", library: .liteRT, gpuLibrary: .liteRTGPU,
    isolation: WorkerRequirements(), isRequired: true
  ) { settings in
    LiteRTBackend(
      library: settings.library, weightCache: settings.weightCache,
      accelerator: settings.accelerator)
  }
}

extension LiteRTBackend: LibraryBackend {}

extension LiteRTBackend: IsolatableBackend {
  /// Loads a model from the bytes of its file.
  package func load(
    _ bytes: [UInt8], of file: ModelFile, for use: ModelBinding
  ) throws(ModelError) -> any RuntimeModel {
    do throws(ModelError) {
      return try model(bytes: bytes, for: use)
    } catch {
      throw error.in(file: file.path)
    }
  }

  /// Loads a model that reads its weights from shared memory.
  package func load(
    _ mapping: FileMapping, of file: ModelFile, for use: ModelBinding
  ) throws(ModelError) -> any RuntimeModel {
    do throws(ModelError) {
      return try model(ModelBytes(mapping), for: use)
    } catch {
      throw error.in(file: file.path)
    }
  }
}

extension LiteRTBackend: DraftingBackend {
  /// Loads a `.tflite` file with its metadata.
  package func bareModel(at file: ModelFile) throws(ModelError) -> BareModel {
    let model = try model(at: file)
    var bare = BareModel(model)
    bare.metadata = model.modelMetadata
    bare.trainingSignature = model.signatures.first { signature in
      signature.name == ModelMode.train.rawValue && signature.name != model.signature.name
    }
    return bare
  }

  /// Reads the labels from the archive appended to the model: the file that the metadata names,
  /// else the only text file.
  package func embeddedLabels(
    in file: ModelFile, _ metadata: ModelMetadata?
  ) throws(OperationError) -> EmbeddedLabels? {
    try Self.rethrowing(file) { () throws(ArchiveError) in
      guard let archive = try Self.appendedArchive(of: file.path) else { return nil }
      let named = metadata?.outputs.flatMap(\.labelFiles) ?? []
      let texts = archive.entries.filter { $0.name.text.lowercased().hasSuffix(".txt") }
      let entry =
        archive.entries.first { named.contains($0.name.text) }
        ?? (texts.count == 1 ? texts.first : nil)
      guard let entry, !entry.isFolder else { return nil }
      let bytes = try archive.contents(of: entry, limit: LabelsFile.maxBytes)
      guard let labels = try? LabelsFile.parse(bytes) else { return nil }
      return EmbeddedLabels(labels, source: entry.name.text)
    }
  }

  /// Reads a file from the archive appended to the model.
  package func embeddedFile(
    _ name: String, in file: ModelFile
  ) throws(OperationError) -> [UInt8]? {
    try Self.rethrowing(file) { () throws(ArchiveError) in
      guard let archive = try Self.appendedArchive(of: file.path),
        let entry = archive.entries.first(where: { $0.name.text == name }), !entry.isFolder
      else { return nil }
      return try archive.contents(of: entry, limit: ModelBundle.maxTokenizerBytes)
    }
  }

  /// Runs `body` and rethrows its error as one of the file.
  static func rethrowing<Value>(
    _ file: ModelFile, _ body: () throws(ArchiveError) -> Value
  ) throws(OperationError) -> Value {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw OperationError(error.code, "\(file.path): \(error)", exitCode: .invalidBundle)
    }
  }

  /// Opens the archive appended to a model, which most models lack.
  static func appendedArchive(of path: String) throws(ArchiveError) -> ZipArchive? {
    do throws(ArchiveError) {
      return try ZipArchive(at: path, prefix: .allowPrefix)
    } catch  where error.reason == .notAnArchive {
      return nil
    }
  }
}

extension LiteRTBackend: MetadataWritingBackend {
  /// Returns a copy of a `.tflite` file with TensorFlow Lite Metadata, and with associated files in
  /// an archive behind the model.
  ///
  /// Metadata and an archive that the file contains are replaced.
  package func copy(
    of file: ModelFile, adding metadata: ModelMetadata, files: [EmbeddedFile], for use: ModelBinding
  ) throws(OperationError) -> [UInt8] {
    let end = try Self.rethrowing(file) { () throws(ArchiveError) in
      try Self.appendedArchive(of: file.path)?.startOffset
    }
    let model = try OperationError.rethrowing { () throws(ModelError) in
      try copy(of: file, upTo: end, adding: metadata, for: use)
    }
    guard !files.isEmpty else { return model }
    return try Self.rethrowing(file) { () throws(ArchiveError) in
      try model + AppendedArchive(files.map { ($0.name, $0.bytes) }, at: model.count).bytes
    }
  }

  private func copy(
    of file: ModelFile, upTo end: Int?, adding metadata: ModelMetadata, for use: ModelBinding
  ) throws(ModelError) -> [UInt8] {
    guard let model = try load(file, for: use) as? LiteRTModel else {
      throw ModelError(.runtime, .unsupported("metadata of a model that is opened for training"))
    }
    let table = try model.metadataInGraphOrder(metadata).tfliteBytes
    let source = try ModelBytes(file)
    do throws(ModelError) {
      let insertion = try MetadataInsertion(
        table, named: LiteRTModel.metadataName, in: source, upTo: end ?? source.count)
      _ = try self.model(bytes: insertion.bytes, for: use)
      return insertion.bytes
    } catch {
      throw error.in(file: file.path)
    }
  }
}
