import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// The checkpoints of a training: folders `checkpoint-<step>`, each with the weights and a
/// `training.json`.
struct CheckpointStore: Sendable {
  private let options: Trainer.Checkpoints
  private let configuration: TrainingConfiguration

  private static let namePrefix = "checkpoint-"
  private static let metadataName = "training.json"
  /// No record is nearly as long.
  private static let maxMetadataBytes = 1 << 20

  /// Opens or makes the folder for them.
  ///
  /// Checkpoints of another training are neither mixed with new ones nor written over.
  init(_ options: Trainer.Checkpoints, _ facts: TrainingConfiguration) throws(ModelError) {
    self.options = options
    self.configuration = facts
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

  /// Takes the weights of the newest checkpoint that is whole, and says how far it had come; `nil`
  /// when there are none.
  func resume(_ model: TrainableModel) throws(ModelError) -> TrainingProgress? {
    var problem: String?
    for step in try steps().reversed() {
      do throws(ModelError) {
        return try progress(restoring: model, from: path(of: step))
      } catch {
        if case .checkpointMismatch = error.reason { throw error }
        problem = problem ?? error.message
      }
    }
    if let problem {
      throw ModelError(.run, .noCompleteCheckpoint(options.folder, detail: problem))
    }
    return nil
  }

  private func progress(
    restoring model: TrainableModel, from path: String
  ) throws(ModelError) -> TrainingProgress {
    let bytes = try FileBytes.read(
      path + "/" + Self.metadataName, limit: Self.maxMetadataBytes, stage: .run)
    let record: CheckpointMetadata
    do {
      record = try CheckpointMetadata(try JSONDocument(parsing: bytes).root)
    } catch {
      throw ModelError(.run, .unreadableFile(Self.metadataName, detail: "\(error)"), file: path)
    }
    try configuration.requireMatch(record.configuration, path)
    guard try sizes(in: path) == record.fileSizes else {
      throw ModelError(.run, .unreadableFile(path, detail: "its files are not those written"))
    }
    try model.restoreCheckpoint(from: path)
    model.weights.stepCount = record.progress.step
    return record.progress
  }

  // MARK: Writing

  /// Writes a checkpoint where one is due.
  func write(
    _ progress: TrainingProgress, of model: TrainableModel, after position: TrainingPosition
  ) throws(ModelError) {
    if isDue(progress, position) { try save(progress, of: model) }
  }

  /// Writes a checkpoint, and removes what need not be kept.
  func save(_ progress: TrainingProgress, of model: TrainableModel) throws(ModelError) {
    let path = path(of: progress.step)
    try AtomicDirectoryWriter.write(path, overwriting: true) { (staging) throws(ModelError) in
      try model.saveWeights(into: staging)
      let record = CheckpointMetadata(
        configuration: configuration, progress: progress, fileSizes: try sizes(in: staging))
      try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
        try AtomicFile.write(record.json, to: staging + "/" + Self.metadataName)
      }
    }
    let kept = try steps()
    for step in kept.dropLast(max(1, options.maxToKeep)) where step != progress.best?.step {
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

  /// The steps of which there are checkpoints, in order.
  private func steps() throws(ModelError) -> [Int] {
    let names = try AtomicDirectoryWriter.mapFileErrors(at: options.folder) { () throws(FileError) in
      try FileSystem.entryNames(in: options.folder)
    }
    return names.filter { $0.hasPrefix(Self.namePrefix) }
      .compactMap { Int($0.dropFirst(Self.namePrefix.count)) }.filter { $0 > 0 }.sorted()
  }

  /// The sizes of the files with the weights.
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
