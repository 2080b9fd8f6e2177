internal import TensorIOSystem

/// What the files of a checkpoint are called, as the original library called them.
enum CheckpointFiles {
  /// What the names of all of them begin with.
  static let prefix = "checkpoint"
  /// What the name of the file that tells of the others ends in.
  static let indexEnding = ".index"
}

extension TrainableModel {
  /// Writes the weights into a folder, as `checkpoint.index` and `checkpoint.data-…`.
  ///
  /// A folder that is there already keeps its other files; the files of an older checkpoint are
  /// replaced one after the other. A new folder appears with the whole checkpoint.
  public func saveCheckpoint(to folder: String) throws(ModelError) {
    guard FileKind(at: folder) == .folder else {
      return try WholeFolder.write(folder) { (staging) throws(ModelError) in
        try saveWeights(into: staging)
      }
    }
    let staging = folder + "/" + Placement.beside(CheckpointFiles.prefix)
    defer { Folder.remove(staging) }
    try WholeFolder.at(folder) { () throws(FileFault) in try Folder.make(staging) }
    try saveWeights(into: staging)
    try WholeFolder.at(folder) { () throws(FileFault) in
      try Folder.sync(staging)
      // The index comes last: it speaks of the others.
      let names = try Folder.names(in: staging)
      let isIndex = { (name: String) in name.hasSuffix(CheckpointFiles.indexEnding) }
      for name in names.filter({ !isIndex($0) }) + names.filter(isIndex) {
        try Folder.move(staging + "/" + name, to: folder + "/" + name)
      }
    }
  }

  /// Takes the weights from a folder with a checkpoint.
  public func restoreCheckpoint(from folder: String) throws(ModelError) {
    try weights.change { () throws(ModelError) in
      try weights.model.restoreWeights(from: folder + "/" + CheckpointFiles.prefix)
    }
  }

  /// Writes the files of a checkpoint into a folder that is there.
  func saveWeights(into folder: String) throws(ModelError) {
    try weights.hold { (_) throws(ModelError) in
      try weights.model.saveWeights(to: folder + "/" + CheckpointFiles.prefix)
    }
  }
}
