internal import TensorIOSystem

/// Folders that appear complete, and on the disk, or not at all.
package enum WholeFolder {
  /// Makes a folder at a path, by way of another beside it.
  ///
  /// A kill at any moment leaves what was there before, or the new folder, whole.
  package static func write(
    _ path: String, overwriting: Bool = false, _ fill: (String) throws(ModelError) -> Void
  ) throws(ModelError) {
    do throws(ModelError) {
      try Staging.folder(at: path, overwriting: overwriting, failure: ModelError.init, fill)
    } catch {
      throw error.at(path: path)
    }
  }

  /// Does something with files, and says at which path it failed.
  static func at<Value>(
    _ path: String, _ body: () throws(FileFault) -> Value
  ) throws(ModelError) -> Value {
    do throws(FileFault) {
      return try body()
    } catch {
      throw ModelError(.run, .unwritable(path, problem: error.problem))
    }
  }
}

extension ModelError {
  init(_ fault: Staging.Fault) {
    switch fault {
    case .alreadyThere(let path): self.init(.run, .alreadyThere(path))
    case .unwritable(let path, let fault):
      self.init(.run, .unwritable(path, problem: fault.problem))
    }
  }

  /// The same, of the path that was asked for and not of the one beside it.
  fileprivate func at(path: String) -> ModelError {
    guard case .unwritable(_, let problem) = reason else { return self }
    return ModelError(stage, .unwritable(path, problem: problem))
  }
}
