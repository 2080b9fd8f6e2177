import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOSystem

/// Evaluates bundles on one dataset.
struct EvaluationRunner {
  let opening: ModelOpener
  /// The number of threads per run; `nil` selects it by the number of items.
  let threads: Int?
  /// The number of runs per item; `nil` uses that of the dataset.
  let iterations: Int?
  let filter: DatasetFilter
  /// Whether boxes with labels that a bundle does not have are skipped.
  let ignoresUnknownLabels: Bool
  /// The column with the labels; `nil` for the usual one.
  var labelColumn: String?
  /// The path of the gallery that names embeddings; `nil` for none.
  let gallery: String?
  /// The normalizer of transcripts; `nil` for that of their languages.
  let normalizer: TranscriptNormalizer?
  /// The path of the table with attributes of items; `nil` for none.
  let attributes: String?
  /// The path of the table with the costs of errors; `nil` for none.
  var costs: String?
  /// The earlier evaluation that results are compared with.
  let baseline: BaselineFile?
  let maxFailures: Int?
  let log: EvaluationLogDestination?
  /// The folder for preprocessed images; `nil` if they are not saved.
  let preprocessedFolder: String?
  /// Whether the distributions of inputs and results are measured.
  var recordsReference = false
  /// The options that affect the results, which must be equal to resume.
  let resultOptions: [String]

  /// The result of a bundle, and the exit code of its evaluation.
  struct Outcome {
    var result: EvaluationResult
    /// The earlier result of the model; `nil` without a baseline.
    var baseline: EvaluationResult?
    let exit: ExitCode
  }

  /// Returns the plan for the bundle that an argument names.
  func plan(
    _ argument: String, _ data: ResolvedDataset, _ console: Console
  ) throws(OperationError) -> EvaluationPlan {
    var plan = try plan(opening.bundle(argument, console), data.path, console)
    if let normalizer {
      plan = try OperationError.rethrowing { () throws(ModelError) in
        try plan.normalizing(with: normalizer)
      }
    }
    guard let gallery else { return plan }
    let store = try GalleryStore(gallery)
    let entries = try store.gallery(for: EmbedderIdentity(EmbeddingOrigin(plan.bundle)))
    return try OperationError.rethrowing { () throws(ModelError) in
      try plan.recognizing(with: entries)
    }
  }

  /// Evaluates the bundle of a plan, the one at `index` of `count` bundles.
  func evaluate(
    _ plan: EvaluationPlan, _ data: ResolvedDataset, index: Int, of count: Int, _ console: Console
  ) throws(OperationError) -> Outcome {
    let bundle = plan.bundle
    let parallelism = Parallelism(items: plan.data.items.count, threadsPerSession: threads)
    let opening = opening.with(parallelism: parallelism)
    var options = Evaluation.Options()
    options.concurrency = parallelism.itemThreads
    options.iterations = iterations ?? plan.iterations
    options.recordsReference = recordsReference
    options.preprocessedImages = try preprocessedInputFolder(for: bundle, index: index, of: count)
    let evaluation = try OperationError.rethrowing { () throws(ModelError) in
      try Evaluation(plan, options) { (mode) throws(ModelError) in
        try opening.open(bundle, mode: mode, console)
      }
    }
    let log = try log.map { (destination) throws(OperationError) in
      try destination.open(plan, data.argument, options: resultOptions, index: index, of: count)
    }
    var outcome = try run(evaluation, of: data.argument, log, console)
    outcome.baseline = try baseline.map { (file) throws(OperationError) in
      try file.result(for: evaluation, of: bundle)
    }
    return outcome
  }

  /// Returns the folder for preprocessed images, a subfolder if there are several bundles.
  private func preprocessedInputFolder(
    for bundle: ModelBundle, index: Int, of count: Int
  ) throws(OperationError) -> PreprocessedImageDirectory? {
    guard let preprocessedFolder else { return nil }
    try ImageOutputFolders.validate(
      preprocessedFolder: preprocessedFolder, for: bundle.description.inputs)
    guard count > 1 else { return PreprocessedImageDirectory(preprocessedFolder) }
    let folder = FilePath.removingTrailingSlashes(preprocessedFolder)
    return PreprocessedImageDirectory("\(folder)/\(index + 1)-\(BundleName.stem(of: bundle.path))")
  }

  private func plan(
    _ bundle: ModelBundle, _ data: String, _ console: Console
  ) throws(OperationError) -> EvaluationPlan {
    try DatasetLoader.reportingDiagnostics(data, console) { () throws(ModelError) in
      var plan = try EvaluationPlan(
        bundle, dataAt: data, knownLabelsOnly: ignoresUnknownLabels, labelColumn: labelColumn
      ) { mode in try? opening.open(bundle, mode: mode, console) }
      for warning in plan.data.items.warnings { console.warn("tensorio: \(data): \(warning)") }
      if let attributes { try plan.addAttributes(at: attributes) }
      if let costs { plan.costs = try ErrorCosts(at: costs) }
      try plan.filter(filter)
      return plan
    }
  }

  private func run(
    _ evaluation: Evaluation, of data: String, _ log: EvaluationLog?, _ console: Console
  ) throws(OperationError) -> Outcome {
    let remaining = evaluation.count - (log?.completedItems.count ?? 0)
    if let log, !log.completedItems.isEmpty {
      console.info(
        "tensorio: resuming; \(log.completedItems.count) of \(evaluation.count) items are recorded")
    }
    var progress = RunProgress(
      remaining, failures: FailureCounter(limit: maxFailures, previouslyRecorded: 0), console)
    var result = try OperationError.rethrowing { () throws(ModelError) in
      try evaluation.run(log: log) { (item) throws(ModelError) in
        Evaluation.ProgressDecision(progress.record(item.commandError, for: item.name))
      }
    }
    result.data = data
    let exit = progress.finish(isOnlyItem: evaluation.count == 1)
    guard exit == .success, !result.failedItems.isEmpty else {
      return Outcome(result: result, exit: exit)
    }
    // The log has items that failed in an earlier run.
    return Outcome(result: result, exit: .partialFailure)
  }
}

extension Evaluation.ProgressDecision {
  fileprivate init(_ decision: OrderedParallelMap.Decision) {
    switch decision {
    case .proceed: self = .proceed
    case .finishPending: self = .finishPending
    case .stop: self = .stop
    }
  }
}

extension EvaluatedItem {
  /// The error of a failed item.
  fileprivate var commandError: OperationError? {
    guard case .failed(let error) = outcome else { return nil }
    return OperationError(error.code, error.message, exitCode: ExitCode(error.stage))
  }
}
