import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOServer

/// The evaluations that are under way, and the last that are over.
final class EvaluationJobs: Sendable {
  /// How many there may be.
  struct Limits: Sendable {
    var maxRunning = 2
    var maxStored = 16
    var uploads = UploadedImages.Limits()
  }

  private let host: any StudioHost
  private let limits: Limits
  private let jobs = Mutex<[EvaluationJob]>([])
  private let threads = DispatchGroup()

  init(_ library: any StudioHost, _ limits: Limits = Limits()) {
    (self.host, self.limits) = (library, limits)
  }

  /// A new evaluation of a model, by data that is offered or by pictures that are still to come.
  func create(
    _ entry: ModelCatalog.Entry, _ data: PreconfiguredDataset?
  ) throws(StudioError) -> EvaluationJob {
    let bundle = try entry.bundleForEvaluation()
    let source: EvaluationJob.Source
    if let data { source = .preconfigured(data) } else { source = .uploaded(try makeUpload()) }
    let job = EvaluationJob(entry, bundle, source)
    jobs.withLock { jobs in
      if jobs.count >= limits.maxStored, let oldest = jobs.firstIndex(where: { $0.isEvictable }) {
        jobs.remove(at: oldest).cancel()
      }
      jobs.append(job)
    }
    return job
  }

  private func makeUpload() throws(StudioError) -> UploadedImages {
    try UploadedImages(limits.uploads)
  }

  /// The evaluation that is asked for.
  func job(_ id: String) throws(StudioError) -> EvaluationJob {
    guard let job = jobs.withLock({ $0.first { $0.id == id } }) else {
      throw .notFound("evaluation")
    }
    return job
  }

  /// Lets an evaluation run in a thread of its own.
  func start(_ job: EvaluationJob, threads count: Int?) throws(StudioError) {
    try jobs.withLock { (jobs) throws(StudioError) in
      guard jobs.count(where: { $0.progress.state == .running }) < limits.maxRunning else {
        throw .tooManyRunning(limits.maxRunning)
      }
      guard job.markRunning() else {
        throw StudioError(.conflict, "started-already", "the evaluation was started already")
      }
    }
    let library = host
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
  fileprivate var isEvictable: Bool { progress.state != .running }
}

extension ModelCatalog.Entry {
  /// The bundle, if it is one that can be judged.
  fileprivate func bundleForEvaluation() throws(StudioError) -> ModelBundle {
    guard let bundle else {
      throw StudioError(
        .unprocessableContent, "unsupported", "a chain cannot be judged; its bundles can, one by one")
    }
    do throws(ModelError) {
      return try bundle.get()
    } catch {
      throw StudioError(error, redactor)
    }
  }
}

extension StudioError {
  fileprivate static func tooManyRunning(_ limit: Int) -> StudioError {
    StudioError(
      .tooManyRequests, "too-many-evaluations",
      "\(limit) evaluations are running; wait for one, or cancel it")
  }
}
