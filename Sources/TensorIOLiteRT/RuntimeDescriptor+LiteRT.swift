package import TensorIOBundle
package import TensorIOCore

extension RuntimeDescriptor {
  /// LiteRT, which runs `.tflite` files.
  package static let liteRT = RuntimeDescriptor(
    .tflite, displayName: "LiteRT", library: .liteRT, isolation: WorkerRequirements(),
    isRequired: true
  ) { settings in
    LiteRTBackend(library: settings.library, weightCache: settings.weightCache)
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
}

extension LiteRTBackend: DraftingBackend {
  /// Loads a `.tflite` file with its metadata.
  package func bareModel(at file: ModelFile) throws(ModelError) -> BareModel {
    let model = try model(at: file)
    var bare = BareModel(model)
    bare.metadata = model.modelMetadata
    return bare
  }

  /// Reads the labels from the archive appended to the model: the file that the metadata names,
  /// else the only text file.
  package func embeddedLabels(
    in file: ModelFile, _ metadata: ModelMetadata?
  ) throws(OperationError) -> EmbeddedLabels? {
    do throws(ArchiveError) {
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
    } catch {
      throw OperationError(error.code, "\(file.path): \(error)", exitCode: .invalidBundle)
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
