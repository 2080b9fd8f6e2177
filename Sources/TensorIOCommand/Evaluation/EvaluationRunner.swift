import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOSystem

/// Judges one bundle after the other by the same data.
struct EvaluationRunner {
  let opening: ModelOpener
  /// The threads that a run may have; `nil` leaves the split to how many items there are.
  let threads: Int?
  /// How often each item is run; `nil` leaves it to the data.
  let iterations: Int?
  let filter: DatasetFilter
  /// Whether boxes of labels that a bundle does not know are left out.
  let ignoresUnknownLabels: Bool
  let maxFailures: Int?
  let log: EvaluationLogDestination?
  /// Where to show what the models saw; `nil` shows nothing.
  let preprocessedFolder: String?
  /// What else decides what comes out.
  let resultOptions: [String]

  /// What came of a bundle, and how the run ended.
  struct Outcome {
    let result: EvaluationResult
    let exit: ExitCode
  }

  /// Judges the bundle that a word names, of so many the one with a number.
  func evaluate(
    _ word: String, _ data: ResolvedDataset, index: Int, of count: Int, _ console: Console
  ) throws(OperationError) -> Outcome {
    let bundle = try ModelOpener.bundle(word, console)
    let plan = try plan(bundle, data.path, console)
    let parallelism = Parallelism(items: plan.data.items.count, threadsPerSession: threads)
    let opening = opening.with(parallelism: parallelism)
    var options = Evaluation.Options()
    options.concurrency = parallelism.itemThreads
    options.iterations = iterations ?? plan.iterations
    options.preprocessedImages = try preprocessedInputFolder(for: bundle, index: index, of: count)
    let evaluation = try OperationError.rethrowing { () throws(ModelError) in
      try Evaluation(plan, options) { (mode) throws(ModelError) in
        try opening.open(bundle, mode: mode, console)
      }
    }
    let journal = try log.map { (journal) throws(OperationError) in
      try journal.open(plan, data.argument, options: resultOptions, index: index, of: count)
    }
    return try run(evaluation, of: data.argument, journal, console)
  }

  /// The folder for what one of several bundles sees; only that of a single bundle is the very one.
  private func preprocessedInputFolder(
    for bundle: ModelBundle, index: Int, of count: Int
  ) throws(OperationError) -> PreprocessedImageDirectory? {
    guard let preprocessedFolder else { return nil }
    try ImageOutputFolders.validate(preprocessedFolder: preprocessedFolder, for: bundle.description.inputs)
    guard count > 1 else { return PreprocessedImageDirectory(preprocessedFolder) }
    let folder = FilePath.removingTrailingSlashes(preprocessedFolder)
    return PreprocessedImageDirectory("\(folder)/\(index + 1)-\(BundleName.stem(of: bundle.path))")
  }

  private func plan(
    _ bundle: ModelBundle, _ data: String, _ console: Console
  ) throws(OperationError) -> EvaluationPlan {
    try DatasetLoader.reportingDiagnostics(data, console) { () throws(ModelError) in
      var plan = try EvaluationPlan(bundle, dataAt: data, knownLabelsOnly: ignoresUnknownLabels)
      for warning in plan.data.items.warnings { console.info("tensorio: \(data): \(warning)") }
      try plan.filter(filter)
      return plan
    }
  }

  private func run(
    _ evaluation: Evaluation, of data: String, _ journal: EvaluationLog?, _ console: Console
  ) throws(OperationError) -> Outcome {
    let open = evaluation.count - (journal?.completedItems.count ?? 0)
    if let journal, !journal.completedItems.isEmpty {
      console.info(
        "tensorio: \(journal.completedItems.count) of \(evaluation.count) are recorded already")
    }
    var report = RunProgress(
      open, failures: FailureCounter(limit: maxFailures, previouslyRecorded: 0), console)
    var result = try OperationError.rethrowing { () throws(ModelError) in
      try evaluation.run(log: journal) { (item) throws(ModelError) in
        Evaluation.ProgressDecision(report.record(item.commandError, for: item.name))
      }
    }
    result.data = data
    let exit = report.finish(isOnlyItem: evaluation.count == 1)
    guard exit == .success, !result.failedItems.isEmpty else { return Outcome(result: result, exit: exit) }
    return Outcome(result: result, exit: .partialFailure)  // some failed before the interruption
  }
}

extension Evaluation.ProgressDecision {
  fileprivate init(_ wish: OrderedParallelMap.Decision) {
    switch wish {
    case .proceed: self = .proceed
    case .finishPending: self = .finishPending
    case .stop: self = .stop
    }
  }
}

extension EvaluatedItem {
  /// Why it could not be judged.
  fileprivate var commandError: OperationError? {
    guard case .failed(let error) = outcome else { return nil }
    return OperationError(error.code, error.message, exitCode: ExitCode(error.stage))
  }
}
