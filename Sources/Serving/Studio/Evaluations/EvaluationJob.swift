import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIODrawing
import TensorIOEvaluation
import TensorIOJSON
import TensorIOServer

/// An evaluation of a model on a preconfigured dataset or on uploaded images.
final class EvaluationJob: Sendable {
  /// The source of the images and their ground truth.
  enum Source: Sendable {
    case preconfigured(PreconfiguredDataset)
    case uploaded(UploadedImages)

    /// The path of the data.
    var path: String {
      switch self {
      case .preconfigured(let data): data.path
      case .uploaded(let images): images.dataPath
      }
    }

    /// The path of the data, or of the folder that contains all of them, which is hidden from clients.
    fileprivate var redactedPath: String {
      if case .uploaded(let images) = self { images.path } else { path }
    }

    /// The dataset's name in reports.
    var title: String {
      switch self {
      case .preconfigured(let dataset): dataset.name
      case .uploaded: "images"
      }
    }
  }

  /// The identifier, which cannot be guessed.
  let id = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
  let model: String
  let bundle: ModelBundle
  let source: Source
  let redactor: PathRedactor
  private let decision: EvaluationDecision

  private let state = Mutex(EvaluationProgress())
  private let isCancelled = Atomic(false)

  init(
    _ entry: ModelCatalog.Entry, _ bundle: ModelBundle, _ source: Source,
    _ decision: EvaluationDecision = EvaluationDecision()
  ) {
    self.decision = decision
    (model, self.bundle, self.source) = (entry.name, bundle, source)
    redactor = entry.redactor.redacting(source.redactedPath, as: source.title)
  }

  /// The current progress.
  var progress: EvaluationProgress { state.withLock(\.self) }

  /// Marks the evaluation as running; returns false if it has already started or is finished.
  func markRunning() -> Bool {
    state.withLock { state in
      guard state.state == .uploading else { return false }
      state.state = .running
      return true
    }
  }

  /// Cancels the evaluation.
  ///
  /// Completed items are kept.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    state.withLock { state in
      if state.state == .uploading { state.state = .cancelled }
    }
  }

  /// Evaluates the model on the calling thread.
  func run(_ host: any StudioHost, threads: Int?) {
    do throws(ModelError) {
      let result = try evaluate(host, threads: threads)
      state.withLock { state in
        state.result = result
        let isPartial = state.completedCount < state.totalCount || result == nil
        state.state = isPartial ? .cancelled : .completed
      }
    } catch {
      let message = ClientError(error, redactor).message
      state.withLock { ($0.state, $0.errorMessage) = (.failed, message) }
    }
  }
}

// MARK: Running

extension EvaluationJob {
  /// Returns the result; `nil` if the evaluation was canceled before the first item.
  private func evaluate(
    _ host: any StudioHost, threads: Int?
  ) throws(ModelError) -> EvaluationResult? {
    let plan = try EvaluationPlan(bundle, dataAt: source.path) { mode in
      try? host.open(bundle, mode, Parallelism(items: 1, threadsPerSession: threads))
    }
    let parallelism = Parallelism(items: plan.data.items.count, threadsPerSession: threads)
    var options = Evaluation.Options()
    (options.concurrency, options.iterations) = (parallelism.itemThreads, plan.iterations)
    let evaluation = try Evaluation(plan, options) { (mode) throws(ModelError) in
      try host.open(bundle, mode, parallelism)
    }
    state.withLock { state in
      state.totalCount = evaluation.count
      state.times = (.now, .now)
    }
    guard !shouldStop else { return nil }
    var result = try evaluation.run { _ in recordItem() }
    try decision.decide(&result, of: plan)
    return result
  }

  private var shouldStop: Bool { isCancelled.load(ordering: .relaxed) }

  /// Counts a completed item, and decides whether to continue.
  private func recordItem() -> Evaluation.ProgressDecision {
    state.withLock { state in
      state.completedCount += 1
      state.times?.end = .now
    }
    return shouldStop ? .finishPending : .proceed
  }
}

/// The progress of an evaluation.
struct EvaluationProgress: Sendable {
  /// The state of an evaluation.
  enum State: String, Sendable {
    /// Images are being uploaded.
    case uploading
    case running, completed, cancelled, failed
  }

  var state = State.uploading
  /// The number of completed items.
  var completedCount = 0
  /// The number of items.
  var totalCount = 0
  /// The times at which the first item started and the last one completed.
  var times: (start: ContinuousClock.Instant, end: ContinuousClock.Instant)?
  /// The error, if the evaluation failed.
  var errorMessage: String?
  var result: EvaluationResult?

  /// Whether the evaluation is in its final state.
  var isFinished: Bool { state != .uploading && state != .running }

  /// The number of items completed per second.
  var itemsPerSecond: Double? {
    guard let times, completedCount > 0 else { return nil }
    let seconds = times.start.duration(to: times.end) / .seconds(1)
    return seconds > 0 ? Double(completedCount) / seconds : nil
  }

  /// The estimated remaining time, in seconds.
  var remainingSeconds: Double? {
    guard state == .running, let itemsPerSecond else { return nil }
    return Double(totalCount - completedCount) / itemsPerSecond
  }
}

extension EvaluationJob {
  /// Writes the evaluation's progress, and its report if there is one.
  func writeMembers(to writer: inout JSONWriter, program: String) {
    let progress = progress
    writer.member("id", id)
    writer.member("model", model)
    writer.member("dataset", orNull: datasetName)
    writer.member("state", progress.state.rawValue)
    writer.member("completed", progress.completedCount)
    writer.member("total", progress.state == .uploading ? uploadedCount : progress.totalCount)
    writer.member("items_per_second", orNull: progress.itemsPerSecond)
    writer.member("remaining_seconds", orNull: progress.remainingSeconds)
    writer.member("error", orNull: progress.errorMessage)
    let report = RedactedReport(self, program: program)
    writer.memberOrNull("report", report?.resultJSON) { $0.value($1) }
    writer.member("charts", array: report?.charts ?? []) { $0.value($1) }
  }

  private var datasetName: String? {
    if case .preconfigured(let dataset) = source { dataset.name } else { nil }
  }

  private var uploadedCount: Int {
    if case .uploaded(let images) = source { images.count } else { 0 }
  }
}
