internal import TensorIO
internal import TensorIOCore
internal import TensorIOData
internal import TensorIOEvaluation
internal import TensorIOSystem

/// Judges one bundle after the other by the same data.
struct EvaluationWork {
  let opening: BundleOpening
  /// The threads that a run may have; `nil` leaves the split to how many items there are.
  let threads: Int?
  /// How often each item is run; `nil` leaves it to the data.
  let iterations: Int?
  let filter: DataFilter
  /// Whether boxes of labels that a bundle does not know are left out.
  let knownLabelsOnly: Bool
  let maxFailures: Int?
  let journal: JournalDestination?
  /// Where to show what the models saw; `nil` shows nothing.
  let showInput: String?
  /// What else decides what comes out.
  let decisions: [String]

  /// What came of a bundle, and how the run ended.
  struct Outcome {
    let result: EvaluationResult
    let exit: ExitCode
  }

  /// Judges the bundle that a word names, of so many the one with a number.
  func evaluate(
    _ word: String, _ data: NamedData, number: Int, of count: Int, _ console: Console
  ) throws(CommandFailure) -> Outcome {
    let bundle = try BundleOpening.bundle(word, console)
    let plan = try plan(bundle, data.path, console)
    let parallelism = Parallelism(items: plan.data.items.count, threads: threads)
    let opening = opening.split(parallelism)
    var options = Evaluation.Options()
    options.workers = parallelism.workers
    options.iterations = iterations ?? plan.iterations
    options.seen = try seen(by: bundle, number: number, of: count)
    let evaluation = try CommandFailure.wrapping { () throws(ModelError) in
      try Evaluation(plan, options) { (mode) throws(ModelError) in
        try opening.opened(bundle, mode: mode, console)
      }
    }
    let journal = try journal.map { (journal) throws(CommandFailure) in
      try journal.open(plan, data.word, options: decisions, number: number, of: count)
    }
    return try run(evaluation, of: data.word, journal, console)
  }

  /// The folder for what one of several bundles sees; only that of a single bundle is the very one.
  private func seen(
    by bundle: ModelBundle, number: Int, of count: Int
  ) throws(CommandFailure) -> SeenInputFolder? {
    guard let showInput else { return nil }
    try PictureFolders.check(showInput: showInput, against: bundle.description.inputs)
    guard count > 1 else { return SeenInputFolder(showInput) }
    let folder = FilePath.withoutTrailingSlashes(showInput)
    return SeenInputFolder("\(folder)/\(number + 1)-\(LibraryName.ofBundle(bundle.path))")
  }

  private func plan(
    _ bundle: ModelBundle, _ data: String, _ console: Console
  ) throws(CommandFailure) -> EvaluationPlan {
    try DataOpening.telling(data, console) { () throws(ModelError) in
      var plan = try EvaluationPlan(bundle, dataAt: data, knownLabelsOnly: knownLabelsOnly)
      for warning in plan.data.items.warnings { console.note("tensorio: \(data): \(warning)") }
      try plan.filter(filter)
      return plan
    }
  }

  private func run(
    _ evaluation: Evaluation, of data: String, _ journal: EvaluationJournal?, _ console: Console
  ) throws(CommandFailure) -> Outcome {
    let open = evaluation.count - (journal?.recorded.count ?? 0)
    if let journal, !journal.recorded.isEmpty {
      console.note(
        "tensorio: \(journal.recorded.count) of \(evaluation.count) are recorded already")
    }
    var report = RunReport(
      open, failures: FailureCount(limit: maxFailures, recorded: 0), console)
    var result = try CommandFailure.wrapping { () throws(ModelError) in
      try evaluation.run(recording: journal) { (item) throws(ModelError) in
        Evaluation.Wish(report.add(item.failure, of: item.name))
      }
    }
    result.data = data
    let exit = report.finish(isOnlyItem: evaluation.count == 1)
    guard exit == .ok, !result.errors.isEmpty else { return Outcome(result: result, exit: exit) }
    return Outcome(result: result, exit: .fellShort)  // some failed before the interruption
  }
}

extension Evaluation.Wish {
  fileprivate init(_ wish: OrderedWork.Wish) {
    switch wish {
    case .more: self = .more
    case .rest: self = .rest
    case .nothing: self = .nothing
    }
  }
}

extension EvaluatedItem {
  /// Why it could not be judged.
  fileprivate var failure: CommandFailure? {
    guard case .failed(let error) = outcome else { return nil }
    return CommandFailure(error.code, error.message, exit: ExitCode(error.stage))
  }
}
