import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOServer

/// The running evaluations and the most recent others.
final class EvaluationJobs: Sendable {
  /// Limits on evaluations.
  struct Limits: Sendable {
    var maxRunning = 2
    var maxStored = 16
    /// The time without a new image after which an upload may be evicted.
    var uploadTimeout = Duration.seconds(600)
    var uploads = UploadedImages.Limits()
  }

  private let host: any StudioHost
  private let limits: Limits
  private let jobs = Mutex<[EvaluationJob]>([])
  private let threads = DispatchGroup()

  init(_ host: any StudioHost, _ limits: Limits = Limits()) {
    (self.host, self.limits) = (host, limits)
  }

  /// Creates an evaluation of a model on `dataset`, or on images that are uploaded later, with what its result is checked for.
  ///
  /// If too many evaluations are stored, evicts the oldest one that is finished or abandoned;
  /// throws if there is none.
  func create(
    _ entry: ModelCatalog.Entry, _ dataset: PreconfiguredDataset?,
    _ decision: EvaluationDecision = EvaluationDecision()
  ) throws(ClientError) -> EvaluationJob {
    let bundle = try entry.bundleForEvaluation()
    let source: EvaluationJob.Source
    if let dataset {
      source = .preconfigured(dataset)
    } else {
      source = .uploaded(try UploadedImages(limits.uploads))
    }
    let job = EvaluationJob(entry, bundle, source, decision)
    try jobs.withLock { (jobs) throws(ClientError) in
      if jobs.count >= limits.maxStored {
        let index = jobs.firstIndex { $0.isEvictable(uploadTimeout: limits.uploadTimeout) }
        guard let index else { throw .tooManyStored(limits.maxStored) }
        jobs.remove(at: index).cancel()
      }
      jobs.append(job)
    }
    return job
  }

  /// Returns the evaluation with the given identifier.
  func job(_ id: String) throws(ClientError) -> EvaluationJob {
    guard let job = jobs.withLock({ $0.first { $0.id == id } }) else {
      throw .notFound("evaluation")
    }
    return job
  }

  /// Starts an evaluation on a separate thread.
  func start(_ job: EvaluationJob, threads count: Int?) throws(ClientError) {
    try jobs.withLock { (jobs) throws(ClientError) in
      guard jobs.count(where: { $0.progress.state == .running }) < limits.maxRunning else {
        throw .tooManyRunning(limits.maxRunning)
      }
      guard job.markRunning() else {
        throw ClientError(.conflict, "already-started", "the evaluation has already started")
      }
    }
    let host = host
    // Dispatch runs every serial queue on a separate thread.
    DispatchQueue(label: "tensorio.evaluation").async(group: threads) {
      job.run(host, threads: count)
    }
  }

  /// Removes an evaluation that could not start.
  func remove(_ job: EvaluationJob) { jobs.withLock { $0.removeAll { $0 === job } } }

  /// Cancels all evaluations, and waits until none of them accesses its images.
  func close() {
    let all = jobs.withLock(\.self)
    for job in all { job.cancel() }
    threads.wait()
    jobs.withLock { $0 = [] }
  }
}

extension EvaluationJob {
  /// Whether the evaluation is finished, or waits for images that are no longer being uploaded.
  fileprivate func isEvictable(uploadTimeout: Duration) -> Bool {
    let progress = progress
    guard progress.state == .uploading, case .uploaded(let images) = source else {
      return progress.isFinished
    }
    return images.idleTime >= uploadTimeout
  }
}

extension ModelCatalog.Entry {
  /// Returns the bundle, if it can be evaluated.
  fileprivate func bundleForEvaluation() throws(ClientError) -> ModelBundle {
    guard let bundle else { throw .notFound("model") }
    do throws(ModelError) {
      return try bundle.get()
    } catch {
      throw ClientError(error, redactor)
    }
  }
}

extension ClientError {
  fileprivate static func tooManyRunning(_ limit: Int) -> ClientError {
    ClientError(
      .tooManyRequests, "too-many-evaluations",
      "\(limit) evaluations are already running; wait for one or cancel it")
  }

  fileprivate static func tooManyStored(_ limit: Int) -> ClientError {
    ClientError(
      .tooManyRequests, "too-many-evaluations",
      "\(limit) evaluations are already running or waiting for images; wait for one or cancel it")
  }
}
