import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// The checkpoints of a training: folders `checkpoint-<step>`, each with the weights and
/// `training.json`.
struct CheckpointStore: Sendable {
  private let options: Trainer.Checkpoints
  private let configuration: TrainingConfiguration

  private static let namePrefix = "checkpoint-"
  private static let metadataName = "training.json"
  /// Far more than any `training.json` needs.
  private static let maxMetadataBytes = 1 << 20

  /// Opens the folder of the checkpoints, or creates it.
  ///
  /// - Throws: ``ModelError/alreadyExists`` if it has checkpoints and the training does
  ///   not resume.
  init(
    _ options: Trainer.Checkpoints, _ configuration: TrainingConfiguration
  ) throws(ModelError) {
    self.options = options
    self.configuration = configuration
    if FileKind(at: options.folder) != .directory {
      try AtomicDirectoryWriter.mapFileErrors(at: options.folder) { () throws(FileError) in
        try FileSystem.createDirectory(options.folder)
      }
    }
    if !options.resumes, let step = try steps().last {
      throw ModelError(.run, .alreadyExists(path(of: step)))
    }
  }

  // MARK: Resuming

  /// Restores the newest complete checkpoint.
  ///
  /// - Returns: The progress at the checkpoint; `nil` if there are no checkpoints.
  func resume(_ model: TrainableModel) throws(ModelError) -> TrainingProgress? {
    var firstFailure: String?
    for step in try steps().reversed() {
      do throws(ModelError) {
        return try progress(restoring: model, from: path(of: step))
      } catch {
        if case ModelError.checkpointMismatch = error { throw error }
        firstFailure = firstFailure ?? error.message
      }
    }
    if let firstFailure {
      throw ModelError(.run, .noCompleteCheckpoint(options.folder, detail: firstFailure))
    }
    return nil
  }

  private func progress(
    restoring model: TrainableModel, from path: String
  ) throws(ModelError) -> TrainingProgress {
    let bytes = try FileBytes.read(
      path + "/" + Self.metadataName, limit: Self.maxMetadataBytes, stage: .run)
    let metadata: CheckpointMetadata
    do {
      metadata = try CheckpointMetadata(try JSONDocument(parsing: bytes).root)
    } catch {
      throw ModelError(.run, .unreadableFile(Self.metadataName, detail: "\(error)"), file: path)
    }
    try configuration.requireMatch(metadata.configuration, path)
    guard try sizes(in: path) == metadata.fileSizes else {
      throw ModelError(
        .run, .unreadableFile(path, detail: "the weight files are missing or incomplete"))
    }
    try model.restoreCheckpoint(from: path)
    model.weights.stepCount = metadata.progress.step
    return metadata.progress
  }

  // MARK: Writing

  /// Writes a checkpoint if the interval has elapsed.
  func write(
    _ progress: TrainingProgress, of model: TrainableModel, after position: TrainingPosition
  ) throws(ModelError) {
    if isDue(progress, position) { try save(progress, of: model) }
  }

  /// Writes a checkpoint and removes outdated ones.
  func save(_ progress: TrainingProgress, of model: TrainableModel) throws(ModelError) {
    let path = path(of: progress.step)
    try AtomicDirectoryWriter.write(path, overwriting: true) { (staging) throws(ModelError) in
      try model.saveWeights(into: staging)
      let metadata = CheckpointMetadata(
        configuration: configuration, progress: progress, fileSizes: try sizes(in: staging))
      try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
        try AtomicFile.write(
          metadata.json, to: staging + "/" + Self.metadataName, isDurable: false)
      }
    }
    let steps = try steps()
    for step in steps.dropLast(max(1, options.maxToKeep)) where step != progress.best?.step {
      FileSystem.remove(self.path(of: step))
    }
  }

  private func isDue(_ progress: TrainingProgress, _ position: TrainingPosition) -> Bool {
    switch options.interval {
    case .steps(let count): position.step.isMultiple(of: max(1, count))
    case .epochs(let count): progress.isAtEpochEnd && position.epoch.isMultiple(of: max(1, count))
    }
  }

  // MARK: Files

  private func path(of step: Int) -> String { "\(options.folder)/\(Self.namePrefix)\(step)" }

  /// The steps that have a checkpoint, in order.
  private func steps() throws(ModelError) -> [Int] {
    let names = try AtomicDirectoryWriter.mapFileErrors(at: options.folder) {
      () throws(FileError) in
      try FileSystem.entryNames(in: options.folder)
    }
    return names.filter { $0.hasPrefix(Self.namePrefix) }
      .compactMap { Int($0.dropFirst(Self.namePrefix.count)) }.filter { $0 > 0 }.sorted()
  }

  /// Returns the sizes of the weight files of a checkpoint.
  private func sizes(in path: String) throws(ModelError) -> [String: Int] {
    try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
      var sizes: [String: Int] = [:]
      for name in try FileSystem.entryNames(in: path) where name != Self.metadataName {
        sizes[name] = try ReadableFile(path + "/" + name).byteCount
      }
      return sizes
    }
  }
}
