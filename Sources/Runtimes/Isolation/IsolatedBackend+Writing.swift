package import TensorIOBundle
package import TensorIOCore

/// Model files are changed in this process: their readers are those that validate untrusted files.
extension IsolatedBackend: HeadWritingBackend {
  /// Returns where a head is written.
  package func location(ofHeadIn file: ModelFile) throws(ModelError) -> HeadLocation {
    try headWriter().location(ofHeadIn: file)
  }

  /// Returns a copy of a model file that returns the scores of a head.
  package func copy(
    of file: ModelFile, adding head: ClassifierHead, pooling: HeadPooling?, for use: ModelBinding
  ) throws(ModelError) -> [UInt8] {
    try headWriter().copy(of: file, adding: head, pooling: pooling, for: use)
  }

  /// Returns a copy of a model file without the head that was added to it.
  package func copyWithoutHead(
    of file: ModelFile, outputs: [String]
  ) throws(ModelError) -> [UInt8]? {
    try headWriter().copyWithoutHead(of: file, outputs: outputs)
  }

  /// Returns a copy of a model file that returns an embedding of floating-point numbers.
  package func copyReturningEmbedding(
    of file: ModelFile, _ source: EmbeddingSource, for use: ModelBinding
  ) throws(ModelError) -> EmbeddingModelCopy? {
    try headWriter().copyReturningEmbedding(of: file, source, for: use)
  }

  /// Returns the layers of a model that could be embeddings.
  package func embeddingLayers(of file: ModelFile) throws(ModelError) -> [EmbeddingLayer] {
    try headWriter().embeddingLayers(of: file)
  }

  private func headWriter() throws(ModelError) -> any HeadWritingBackend {
    guard let writer = localBackend as? any HeadWritingBackend else {
      throw .unsupportedHead(in: identifier)
    }
    return writer
  }
}

extension IsolatedBackend: WeightStoringBackend {
  /// Returns a copy of a model file, which is read in this process and not run.
  package func copyInHalfPrecision(of file: ModelFile) throws(ModelError) -> [UInt8] {
    try writing(file).copyInHalfPrecision(of: file)
  }

  /// Returns the names of other files that the model consists of.
  package func companionFiles(of file: ModelFile) throws(ModelError) -> [String] {
    try writing(file).companionFiles(of: file)
  }

  private func writing(_ file: ModelFile) throws(ModelError) -> any WeightStoringBackend {
    guard let backend = localBackend as? any WeightStoringBackend else {
      throw ModelError(
        .runtime, .unsupported("writing smaller weights for this runtime"), file: file.path)
    }
    return backend
  }

  /// The runtime in this process.
  private var localBackend: any Backend { runtime.makeBackend(settings) }
}
