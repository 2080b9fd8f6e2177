package import TensorIOBundle

/// A runtime that cannot be used with the settings of the caller, and loads no model.
package struct UnavailableBackend: Backend {
  package let identifier: BackendIdentifier
  private let error: ModelError

  /// Creates a backend that throws an error for every model.
  package init(_ identifier: BackendIdentifier, _ error: ModelError) {
    (self.identifier, self.error) = (identifier, error)
  }

  /// Throws the error of the backend.
  package func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
  {
    throw error.in(file: file.path)
  }
}
