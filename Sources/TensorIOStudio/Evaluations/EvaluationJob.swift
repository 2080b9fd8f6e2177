internal import Synchronization
internal import TensorIOCore
internal import TensorIOData
internal import TensorIOEvaluation
internal import TensorIOServer

/// One evaluation of a model, by data that is offered or by pictures that are brought.
final class EvaluationJob: Sendable {
  /// Where the right answers come from.
  enum Source: Sendable {
    case offered(OfferedData)
    case brought(BroughtPictures)

    var path: String {
      switch self {
      case .offered(let data): data.path
      case .brought(let pictures): pictures.path
      }
    }

    /// What the data is called in reports.
    var title: String {
      switch self {
      case .offered(let data): data.name
      case .brought: "pictures"
      }
    }
  }

  /// By what it is asked for; nobody can guess it.
  let id = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
  let model: String
  let bundle: ModelBundle
  let source: Source
  let veil: Veil

  private let state = Mutex(EvaluationProgress())
  private let isCancelled = Atomic(false)

  init(_ entry: ModelCatalogue.Entry, _ bundle: ModelBundle, _ source: Source) {
    (model, self.bundle, self.source) = (entry.name, bundle, source)
    veil = entry.veil.hiding(source.path, as: source.title)
  }

  /// How far it has come.
  var progress: EvaluationProgress { state.withLock(\.self) }

  /// Says that it runs now; false when it does already, or is over.
  func begin() -> Bool {
    state.withLock { state in
      guard state.stage == .filling else { return false }
      state.stage = .running
      return true
    }
  }

  /// Ends it; what is done is kept.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    state.withLock { state in
      if state.stage == .filling { state.stage = .cancelled }
    }
  }

  /// Judges the model in the calling thread.
  func run(_ library: any StudioLibrary, threads: Int?) {
    do throws(ModelError) {
      let result = try judge(library, threads: threads)
      state.withLock { state in
        state.result = result
        state.stage = state.done < state.count || result == nil ? .cancelled : .done
      }
    } catch {
      let fault = StudioRefusal(error, veil).message
      state.withLock { ($0.stage, $0.fault) = (.failed, fault) }
    }
  }
}

// MARK: Judging

extension EvaluationJob {
  /// What comes of it; nothing when it is cancelled before anything is done.
  private func judge(
    _ library: any StudioLibrary, threads: Int?
  ) throws(ModelError) -> EvaluationResult? {
    let plan = try EvaluationPlan(bundle, dataAt: source.path)
    let parallelism = Parallelism(items: plan.data.items.count, threads: threads)
    var options = Evaluation.Options()
    (options.workers, options.iterations) = (parallelism.workers, plan.iterations)
    let evaluation = try Evaluation(plan, options) { (mode) throws(ModelError) in
      try library.open(bundle, mode, parallelism)
    }
    state.withLock { state in
      state.count = evaluation.count
      state.times = (.now, .now)
    }
    guard !isToEnd else { return nil }
    return try evaluation.run { _ in advance() }
  }

  private var isToEnd: Bool { isCancelled.load(ordering: .relaxed) }

  /// Counts an item, and says whether others are wanted.
  private func advance() -> Evaluation.Wish {
    state.withLock { state in
      state.done += 1
      state.times?.end = .now
    }
    return isToEnd ? .rest : .more
  }
}
