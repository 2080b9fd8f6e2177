import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOJSON
import TensorIOServer

/// One evaluation of a model, by data that is offered or by pictures that are brought.
final class EvaluationJob: Sendable {
  /// Where the right answers come from.
  enum Source: Sendable {
    case preconfigured(PreconfiguredDataset)
    case uploaded(UploadedImages)

    var path: String {
      switch self {
      case .preconfigured(let data): data.path
      case .uploaded(let pictures): pictures.path
      }
    }

    /// What the data is called in reports.
    var title: String {
      switch self {
      case .preconfigured(let data): data.name
      case .uploaded: "pictures"
      }
    }
  }

  /// By what it is asked for; nobody can guess it.
  let id = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
  let model: String
  let bundle: ModelBundle
  let source: Source
  let redactor: PathRedactor

  private let state = Mutex(EvaluationProgress())
  private let isCancelled = Atomic(false)

  init(_ entry: ModelCatalog.Entry, _ bundle: ModelBundle, _ source: Source) {
    (model, self.bundle, self.source) = (entry.name, bundle, source)
    redactor = entry.redactor.redacting(source.path, as: source.title)
  }

  /// How far it has come.
  var progress: EvaluationProgress { state.withLock(\.self) }

  /// Says that it runs now; false when it does already, or is over.
  func markRunning() -> Bool {
    state.withLock { state in
      guard state.state == .uploading else { return false }
      state.state = .running
      return true
    }
  }

  /// Ends it; what is done is kept.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    state.withLock { state in
      if state.state == .uploading { state.state = .cancelled }
    }
  }

  /// Judges the model in the calling thread.
  func run(_ library: any StudioHost, threads: Int?) {
    do throws(ModelError) {
      let result = try evaluate(library, threads: threads)
      state.withLock { state in
        state.result = result
        state.state = state.completedCount < state.totalCount || result == nil ? .cancelled : .completed
      }
    } catch {
      let fault = StudioError(error, redactor).message
      state.withLock { ($0.state, $0.errorMessage) = (.failed, fault) }
    }
  }
}

// MARK: Judging

extension EvaluationJob {
  /// What comes of it; nothing when it is cancelled before anything is done.
  private func evaluate(
    _ library: any StudioHost, threads: Int?
  ) throws(ModelError) -> EvaluationResult? {
    let plan = try EvaluationPlan(bundle, dataAt: source.path)
    let parallelism = Parallelism(items: plan.data.items.count, threadsPerSession: threads)
    var options = Evaluation.Options()
    (options.concurrency, options.iterations) = (parallelism.itemThreads, plan.iterations)
    let evaluation = try Evaluation(plan, options) { (mode) throws(ModelError) in
      try library.open(bundle, mode, parallelism)
    }
    state.withLock { state in
      state.totalCount = evaluation.count
      state.times = (.now, .now)
    }
    guard !shouldStop else { return nil }
    return try evaluation.run { _ in recordItem() }
  }

  private var shouldStop: Bool { isCancelled.load(ordering: .relaxed) }

  /// Counts an item, and says whether others are wanted.
  private func recordItem() -> Evaluation.ProgressDecision {
    state.withLock { state in
      state.completedCount += 1
      state.times?.end = .now
    }
    return shouldStop ? .finishPending : .proceed
  }
}

/// How far an evaluation has come.
struct EvaluationProgress: Sendable {
  /// What an evaluation can be at.
  enum State: String, Sendable {
    /// Pictures are being brought.
    case uploading
    case running, completed, cancelled, failed
  }

  var state = State.uploading
  /// How many items are behind it.
  var completedCount = 0
  /// How many there are.
  var totalCount = 0
  /// When the first item began, and the last ended.
  var times: (start: ContinuousClock.Instant, end: ContinuousClock.Instant)?
  /// Why it came to nothing.
  var errorMessage: String?
  var result: EvaluationResult?

  /// Whether nothing will change any more.
  var isFinished: Bool { state != .uploading && state != .running }

  /// How many items a second are done.
  var itemsPerSecond: Double? {
    guard let times, completedCount > 0 else { return nil }
    let seconds = times.start.duration(to: times.end) / .seconds(1)
    return seconds > 0 ? Double(completedCount) / seconds : nil
  }

  /// How many seconds it will go on at this rate.
  var remainingSeconds: Double? {
    guard state == .running, let itemsPerSecond else { return nil }
    return Double(totalCount - completedCount) / itemsPerSecond
  }
}

extension EvaluationJob {
  /// What is told of the evaluation, with its report where there is one.
  func writeMembers(to writer: inout JSONWriter, program: String) {
    let progress = progress
    writer.member("id", id)
    writer.member("model", model)
    writer.member("data", orNull: datasetName)
    writer.member("state", progress.state.rawValue)
    writer.member("done", progress.completedCount)
    writer.member("count", progress.state == .uploading ? uploadedCount : progress.totalCount)
    writer.member("rate", orNull: progress.itemsPerSecond)
    writer.member("seconds_left", orNull: progress.remainingSeconds)
    writer.member("error", orNull: progress.errorMessage)
    writer.key("report")
    if let report = report(program) { writer.value(report) } else { writer.null() }
  }

  /// The one result of the report, as it stands in the report's own JSON.
  private func report(_ program: String) -> JSONNode? {
    let limits = JSONLimits(bytes: JSONLimits.maxBytes)
    return RedactedReport(self, program: program)
      .flatMap { try? JSONDocument(parsing: $0.json, limits: limits) }?.root[0]
  }

  private var datasetName: String? {
    if case .preconfigured(let data) = source { data.name } else { nil }
  }

  private var uploadedCount: Int {
    if case .uploaded(let pictures) = source { pictures.count } else { 0 }
  }
}
