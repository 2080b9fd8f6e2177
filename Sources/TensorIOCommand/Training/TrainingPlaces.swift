internal import TensorIOCore
internal import TensorIOSystem

/// What a training leaves behind, and where.
struct TrainingPlaces: Sendable {
  /// The bundle with the trained weights.
  let export: String?
  /// Whether the bundle takes the place of what is there.
  let isForced: Bool
  /// The folder for checkpoints.
  let checkpoint: String?
  /// The picture of the losses.
  let plot: String?

  /// Throws where something cannot be written, before hours are spent on it.
  func check() throws(CommandFailure) {
    if let export {
      if !isForced, FileKind(at: export, followingLinks: false) != nil {
        throw CommandFailure(packing: ModelError(.run, .alreadyThere(export)))
      }
      try checkFolder(of: export)
    }
    if let checkpoint { try checkFolder(of: checkpoint) }
    if let plot {
      try LossCurve.check(plot)
      try checkFolder(of: plot)
    }
  }

  private func checkFolder(of path: String) throws(CommandFailure) {
    let folder = path.hasPrefix("/") ? "/" : "./"
    let parents = path.split(separator: "/").dropLast().joined(separator: "/")
    guard FileKind(at: folder + parents) != .folder else { return }
    throw CommandFailure("unwritable", "\(path): there is no folder '\(parents)'", exit: .run)
  }

  /// The checkpoint of the last steps, where there is one.
  var lastCheckpoint: String? {
    guard let checkpoint, let names = try? Folder.names(in: checkpoint) else { return nil }
    let steps = names.filter { $0.hasPrefix("checkpoint-") }
      .compactMap { Int($0.dropFirst("checkpoint-".count)) }
    return steps.max().map { "\(checkpoint)/checkpoint-\($0)" }
  }

  /// What is said of where the weights are when a training ends before its time.
  var whatIsKept: String {
    guard checkpoint != nil else {
      return "no weights are kept; --checkpoint DIR keeps those of every epoch"
    }
    guard let lastCheckpoint else { return "no weights are kept, since no epoch was over" }
    return "the weights are in \(lastCheckpoint); the same command with --resume goes on from there"
  }
}
