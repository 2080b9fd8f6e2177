package import TensorIOSystem

/// Writes folders atomically: they appear complete and synced to disk, or not at all.
package enum AtomicDirectoryWriter {
  /// Creates a folder at a path by filling a staging folder next to it and renaming that.
  ///
  /// If the process is killed, the path holds either its previous contents or the complete new
  /// folder.
  ///
  /// - Parameters:
  ///   - path: The path of the new folder.
  ///   - overwriting: Whether an existing file or folder is replaced; otherwise it is an error.
  ///   - fill: A closure that writes the contents into the staging folder at the given path.
  /// - Throws: ``ModelError`` if the folder cannot be written, or an error of `fill`.
  package static func write(
    _ path: String, overwriting: Bool = false, _ fill: (String) throws(ModelError) -> Void
  ) throws(ModelError) {
    do throws(ModelError) {
      try Staging.directory(at: path, overwriting: overwriting, mapError: ModelError.init, fill)
    } catch {
      throw error.replacingPath(with: path)
    }
  }

  /// Runs a closure and converts its file errors to errors that name a path.
  package static func mapFileErrors<Value>(
    at path: String, _ body: () throws(FileError) -> Value
  ) throws(ModelError) -> Value {
    do throws(FileError) {
      return try body()
    } catch {
      throw ModelError(.run, .unwritable(path, detail: error.message))
    }
  }
}

extension ModelError {
  /// Creates an error from an error of staging a file or folder.
  package init(_ error: Staging.StagingError) {
    switch error {
    case .alreadyExists(let path): self.init(.run, .alreadyExists(path))
    case .unwritable(let path, let fileError):
      self.init(.run, .unwritable(path, detail: fileError.message))
    }
  }

  /// Returns a copy that names the requested path instead of the staging path.
  fileprivate func replacingPath(with path: String) -> ModelError {
    guard case ModelError.unwritable = self, let detail = text("detail") else {
      return self
    }
    return ModelError(stage, .unwritable(path, detail: detail))
  }
}
