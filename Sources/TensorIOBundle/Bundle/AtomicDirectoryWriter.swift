package import TensorIOSystem

/// Folders that appear complete, and on the disk, or not at all.
package enum AtomicDirectoryWriter {
  /// Makes a folder at a path, by way of another beside it.
  ///
  /// A kill at any moment leaves what was there before, or the new folder, whole.
  package static func write(
    _ path: String, overwriting: Bool = false, _ fill: (String) throws(ModelError) -> Void
  ) throws(ModelError) {
    do throws(ModelError) {
      try Staging.directory(at: path, overwriting: overwriting, mapError: ModelError.init, fill)
    } catch {
      throw error.replacingPath(with: path)
    }
  }

  /// Does something with files, and says at which path it failed.
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
  package init(_ fault: Staging.StagingError) {
    switch fault {
    case .alreadyExists(let path): self.init(.run, .alreadyExists(path))
    case .unwritable(let path, let fault):
      self.init(.run, .unwritable(path, detail: fault.message))
    }
  }

  /// The same, of the path that was asked for and not of the one beside it.
  fileprivate func replacingPath(with: String) -> ModelError {
    guard case .unwritable(_, let problem) = reason else { return self }
    return ModelError(stage, .unwritable(with, detail: problem))
  }
}
