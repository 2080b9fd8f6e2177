package import TensorIOBundle

/// A backend that opens a shared library on first use.
package protocol LibraryBackend: Backend {
  /// Opens the library and returns its location.
  ///
  /// - Throws: ``ModelError/runtimeMissing`` if no library can be opened.
  func locateLibrary() throws(ModelError) -> RuntimeLibraryCandidate
}
