import TensorIOBundle
package import TensorIOCore
import TensorIOSystem

/// Layers of a model that become its output.
extension DraftSources {
  /// Returns the layers that could be embeddings, the most suitable ones first.
  ///
  /// - Returns: The layers; none if the runtime cannot return a layer that is no output.
  /// - Throws: An ``OperationError`` if the model cannot be read.
  package func embeddingLayers() throws(OperationError) -> [EmbeddingLayer] {
    guard let writer = runtime as? any HeadWritingBackend else { return [] }
    return try OperationError.rethrowing(file: modelPath) { () throws(ModelError) in
      try writer.embeddingLayers(of: ModelFile(path: modelPath, name: modelPath))
    }
  }

  /// Returns the sources of a copy of the model whose only output is a layer.
  ///
  /// The copy is in a temporary folder, which exists as long as the sources. It links to the other files that the model
  /// consists of.
  ///
  /// - Parameter layer: The name of the layer.
  /// - Returns: The sources, without what describes the outputs that are replaced.
  /// - Throws: An ``OperationError`` if there is no such layer, or the copy cannot be written.
  package func returningEmbedding(_ layer: String) throws(OperationError) -> DraftSources {
    let layers = try embeddingLayers()
    return try OperationError.rethrowing(file: modelPath) { () throws(ModelError) in
      guard let writer = runtime as? any HeadWritingBackend, !layers.isEmpty else {
        throw ModelError(
          .bundle,
          .unmetRequirement(
            "the runtime finds no layer that returns one vector for each item of this model"))
      }
      let use = ModelBinding(
        ModelDescription(
          modelFile: bundledModelName, backend: format.backend, inputs: [], outputs: []),
        mode: .predict)
      let copy = try writer.copyReturningEmbedding(
        of: ModelFile(path: modelPath, name: modelPath), .layer(layer), for: use)
      guard let copy else {
        let names = layers.prefix(Self.maxListedLayers).map { "'\($0.name)'" }
        throw ModelError(
          .input,
          .unmetRequirement(
            "no layer '\(layer)' returns one vector for each item; these do: \(names.joined(separator: ", "))"
          ))
      }
      let folder = try AtomicDirectoryWriter.mapFileErrors(at: "the temporary folder") {
        () throws(FileError) in
        let folder = try TemporaryDirectory(prefix: "tensorio-init")
        for name in companionFiles {
          let source = FilePath.parent(of: modelPath) + "/" + name
          try FileSystem.createLink(
            to: FilePath.resolved(source) ?? source, at: folder.path + "/" + name)
        }
        try AtomicFile.write(
          copy.bytes, to: folder.path + "/" + FilePath.lastComponent(of: modelPath))
        return folder
      }
      return replacingOutputs(by: copy, in: folder)
    }
  }

  private static let maxListedLayers = 5
}
