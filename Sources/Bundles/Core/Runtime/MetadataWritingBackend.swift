package import TensorIOBundle

/// A backend whose model files can contain metadata and associated files.
package protocol MetadataWritingBackend: Backend {
  /// Returns a copy of a model file with metadata and associated files.
  ///
  /// - Parameters:
  ///   - file: The model.
  ///   - metadata: The metadata, with the tensors in the order of the binding's layers.
  ///   - files: The files that the metadata refers to.
  ///   - use: The layers of the model.
  /// - Returns: The contents of the copy, which has the same outputs.
  /// - Throws: `OperationError` if the model cannot be read, or cannot contain metadata.
  func copy(
    of file: ModelFile, adding metadata: ModelMetadata, files: [EmbeddedFile], for use: ModelBinding
  ) throws(OperationError) -> [UInt8]
}

/// A file that is stored in a model.
package struct EmbeddedFile: Sendable, Hashable {
  /// The name of the file.
  package let name: String
  /// The contents of the file.
  package let bytes: [UInt8]

  /// Creates a file.
  package init(name: String, bytes: [UInt8]) {
    (self.name, self.bytes) = (name, bytes)
  }
}
