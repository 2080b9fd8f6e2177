/// Something that is measured: a row of the table, or one for each of its goals.
///
/// A new job is a value in a file of this folder, and its place in ``all``.
struct Job: Sendable {
  /// What it is asked for by.
  let name: String
  /// What is done.
  let title: String
  /// What it is compared with.
  let peer: String
  let goals: [Goal]
  /// Whether it takes so long that it is measured only when it is asked for.
  var isLong = false
  /// Opens what is needed; nothing of it is measured.
  let prepare: @Sendable () throws -> Contest

  init(
    _ name: String, _ title: String, against peer: String, _ goals: Goal...,
    prepare: @escaping @Sendable () throws -> Contest
  ) {
    self.name = name
    self.title = title
    self.peer = peer
    self.goals = goals
    self.prepare = prepare
  }
}

extension Job {
  /// The same, measured only when it is asked for.
  var whenAsked: Job {
    var job = self
    job.isLong = true
    return job
  }

  /// All jobs, in the order of the table.
  static let all = [
    tinyModel, largeModel, onnxModels, batches, openingAgain, wholeProcess, wholeFolder, startUp,
    resampling, preparation, taskResults, textAndSound, publishedModels, idlePools, training,
    liteRTTraining, pythonPackage,
  ].flatMap(\.self)
}
