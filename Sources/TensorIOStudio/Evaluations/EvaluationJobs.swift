internal import Dispatch
internal import Synchronization
internal import TensorIOCore
internal import TensorIOServer

/// The evaluations that are under way, and the last that are over.
final class EvaluationJobs: Sendable {
  /// How many there may be.
  struct Limits: Sendable {
    var running = 2
    var kept = 16
    var pictures = BroughtPictures.Limits()
  }

  private let library: any StudioLibrary
  private let limits: Limits
  private let jobs = Mutex<[EvaluationJob]>([])
  private let threads = DispatchGroup()

  init(_ library: any StudioLibrary, _ limits: Limits = Limits()) {
    (self.library, self.limits) = (library, limits)
  }

  /// A new evaluation of a model, by data that is offered or by pictures that are still to come.
  func make(
    _ entry: ModelCatalogue.Entry, _ data: OfferedData?
  ) throws(StudioRefusal) -> EvaluationJob {
    let bundle = try entry.judgedBundle()
    let source: EvaluationJob.Source
    if let data { source = .offered(data) } else { source = .brought(try newFolder()) }
    let job = EvaluationJob(entry, bundle, source)
    jobs.withLock { jobs in
      if jobs.count >= limits.kept, let oldest = jobs.firstIndex(where: { $0.isIdle }) {
        jobs.remove(at: oldest).cancel()
      }
      jobs.append(job)
    }
    return job
  }

  private func newFolder() throws(StudioRefusal) -> BroughtPictures {
    try BroughtPictures(limits.pictures)
  }

  /// The evaluation that is asked for.
  func job(_ id: String) throws(StudioRefusal) -> EvaluationJob {
    guard let job = jobs.withLock({ $0.first { $0.id == id } }) else {
      throw .unknown("evaluation")
    }
    return job
  }

  /// Lets an evaluation run in a thread of its own.
  func start(_ job: EvaluationJob, threads count: Int?) throws(StudioRefusal) {
    try jobs.withLock { (jobs) throws(StudioRefusal) in
      guard jobs.count(where: { $0.progress.stage == .running }) < limits.running else {
        throw .tooManyRunning(limits.running)
      }
      guard job.begin() else {
        throw StudioRefusal(.conflict, "started-already", "the evaluation was started already")
      }
    }
    let library = library
    // Dispatch gives a thread of its own to every serial queue.
    DispatchQueue(label: "tensorio.evaluation").async(group: threads) {
      job.run(library, threads: count)
    }
  }

  /// Forgets an evaluation that came to nothing.
  func remove(_ job: EvaluationJob) { jobs.withLock { $0.removeAll { $0 === job } } }

  /// Ends all of them, and waits until nobody looks at their pictures any more.
  func close() {
    let all = jobs.withLock(\.self)
    for job in all { job.cancel() }
    threads.wait()
    jobs.withLock { $0 = [] }
  }
}

extension EvaluationJob {
  /// Whether it may be forgotten for another.
  fileprivate var isIdle: Bool { progress.stage != .running }
}

extension ModelCatalogue.Entry {
  /// The bundle, if it is one that can be judged.
  fileprivate func judgedBundle() throws(StudioRefusal) -> ModelBundle {
    guard let bundle else {
      throw StudioRefusal(
        .unprocessable, "unsupported", "a chain cannot be judged; its bundles can, one by one")
    }
    do throws(ModelError) {
      return try bundle.get()
    } catch {
      throw StudioRefusal(error, veil)
    }
  }
}

extension StudioRefusal {
  fileprivate static func tooManyRunning(_ limit: Int) -> StudioRefusal {
    StudioRefusal(
      .tooManyRequests, "too-many-evaluations",
      "\(limit) evaluations are running; wait for one, or cancel it")
  }
}
