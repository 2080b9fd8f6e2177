package import TensorIOBundle
package import TensorIOSystem

/// A backend that worker processes can run.
package protocol IsolatableBackend: Backend {
  /// Opens the library and everything else that needs files, without starting threads.
  ///
  /// A worker process calls it before it enters the sandbox. In the sandbox no file can be opened,
  /// and threads that were started before would not be restricted.
  func prepareForIsolation() throws(ModelError)

  /// Loads a model from the bytes of its file, which a sandbox prevents from being opened.
  ///
  /// The default implementation loads the file.
  func load(
    _ bytes: [UInt8], of file: ModelFile, for use: ModelBinding
  ) throws(ModelError) -> any RuntimeModel

  /// Loads a model from memory that several worker processes share.
  ///
  /// The default implementation loads a copy.
  func load(
    _ mapping: FileMapping, of file: ModelFile, for use: ModelBinding
  ) throws(ModelError) -> any RuntimeModel
}

extension IsolatableBackend {
  /// Loads the file.
  package func load(
    _ bytes: [UInt8], of file: ModelFile, for use: ModelBinding
  ) throws(ModelError) -> any RuntimeModel {
    try load(file, for: use)
  }

  /// Loads a copy of the bytes.
  package func load(
    _ mapping: FileMapping, of file: ModelFile, for use: ModelBinding
  ) throws(ModelError) -> any RuntimeModel {
    try load(mapping.bytes, of: file, for: use)
  }
}

extension IsolatableBackend where Self: LibraryBackend {
  /// Opens the library.
  package func prepareForIsolation() throws(ModelError) { _ = try locateLibrary() }
}
