import Synchronization
import TensorIOCore

/// A request in the queue, and the executor of its handler: the threads that serve the request's lane.
///
/// The thread that takes the request starts the handler at once and runs models itself. A handler that waits, for memory
/// or for a model that is opened, leaves the thread, and is resumed when a thread of its lane is free. So every `await` that
/// really waits gives up the turn.
final class RequestTask: TaskExecutor {
  /// What a thread does next for a request.
  struct Job: Sendable {
    enum Kind: Sendable {
      /// Starts the handler.
      case start
      /// Continues a handler that waited for something.
      case resume(UnownedJob)
      /// Continues a handler that let others run.
      case turn(CheckedContinuation<Void, Never>)
    }

    let task: RequestTask
    let kind: Kind

    init(_ task: RequestTask, _ kind: Kind = .start) { (self.task, self.kind) = (task, kind) }

    /// Whether no thread has begun to handle the request.
    var isUnstarted: Bool { if case .start = kind { true } else { false } }

    /// Runs the handler on the calling thread, until it is done or waits.
    func run() {
      switch kind {
      case .start: task.start()
      case .resume(let job): job.run(on: task)
      case .turn(let continuation):
        // The handler continues on this thread, which takes the job that the continuation makes.
        task.collectJobs(of: task) { continuation.resume() }
      }
    }
  }

  private struct State {
    var pool: RequestQueue.Pool.Name
    /// When a thread has taken the request.
    var startedAt: ContinuousClock.Instant?
    /// The thread's own request, if this one is started to be merged with its run.
    var gathering: Gathering?
    /// The request whose thread continues this one; `nil` for any thread of the lane.
    var collector: RequestTask?
    /// The jobs that the thread of this request does before others.
    var collected: [Job] = []
  }

  /// The request; `nil` for the body of a response that the event loop has made itself.
  let work: QueuedRequest?
  let context: RequestContext
  let lane: String
  private let queue: RequestQueue
  private let state: Mutex<State>

  init(
    _ work: QueuedRequest, _ lane: String, _ pool: RequestQueue.Pool.Name, _ queue: RequestQueue
  ) {
    (self.work, context, self.lane, self.queue) = (work, work.request.context, lane, queue)
    state = Mutex(State(pool: pool))
  }

  /// Creates a task for the body of a response without a handler.
  init(_ context: RequestContext, _ queue: RequestQueue) {
    (work, self.context, lane, self.queue) = (nil, context, "", queue)
    state = Mutex(State(pool: .control))
  }

  var pool: RequestQueue.Pool.Name { state.withLock(\.pool) }
  /// The time that the request has waited for a thread.
  var queueDuration: Duration {
    guard let work, let start = state.withLock(\.startedAt) else { return .zero }
    return work.enqueuedAt.duration(to: start)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = Job(self, .resume(UnownedJob(job)))
    let collector = state.withLock { state in
      // At once, because another thread may end the collection at any time.
      if state.collector === self { state.collected.append(job) }
      return state.collector
    }
    guard let collector else { return queue.resume(job) }
    // The thread of another request collects what it resumes itself.
    if collector !== self { collector.state.withLock { $0.collected.append(job) } }
  }

  /// Starts the handler on the calling thread.
  private func start() {
    state.withLock { $0.startedAt = .now }
    guard let work, !context.isCanceled else { return queue.finish(self, nil) }
    context.task = self
    Task.immediate(executorPreference: self) { [self] in
      queue.finish(self, await work.route.handle(work.request))
    }
  }

  /// Starts the producer of a response's body, on threads of the lane.
  func start(
    _ producer: @escaping ResponseBody.Stream.Producer, _ writer: BodyWriter
  ) -> Task<Void, Never> {
    Task(executorPreference: self) { [self] in
      do throws(ClientError) {
        try await producer(writer)
        writer.finish(.success(()))
      } catch {
        writer.finish(.failure(error))
      }
      queue.finish(self, nil)
    }
  }
}

// MARK: Turns

extension RequestTask {
  /// Lets the handlers run that wait for a thread, if there are any.
  func yield() async {
    guard queue.hasWaiting(pool) else { return }
    await withCheckedContinuation { queue.resume(Job(self, .turn($0))) }
  }

  /// Continues in the background, whose threads have a low priority; returns false if its queue is full.
  func moveToBackground() async -> Bool {
    guard pool == .foreground else { return true }
    var isAccepted = true
    await withCheckedContinuation { continuation in
      isAccepted = queue.moveToBackground(Job(self, .turn(continuation))) {
        state.withLock { $0.pool = .background }
      }
      if !isAccepted { continuation.resume() }
    }
    return isAccepted
  }
}

// MARK: Merging

extension RequestTask {
  /// Requests that are started to be merged with the run of another one.
  final class Gathering: Sendable {
    typealias Member = (
      task: RequestTask, input: ModelInput,
      continuation: CheckedContinuation<ServedModel.Output, Never>
    )

    let served: ServedModel
    let members = Mutex<[Member]>([])

    init(_ served: ServedModel) { self.served = served }
  }

  /// Runs a model on the calling thread, for this request and for waiting ones of its lane that need the same model.
  func run(_ served: ServedModel, _ input: ModelInput) async -> ServedModel.Output {
    let (gathering, pool) = state.withLock { ($0.gathering, $0.pool) }
    if let gathering, gathering.served === served {
      return await withCheckedContinuation { continuation in
        gathering.members.withLock { $0.append((self, input, continuation)) }
      }
    }
    served.statistics.recordQueue(queueDuration)
    guard gathering == nil, pool == .foreground, served.maxBatchSize > 1 else {
      return served.run(input)
    }
    return runGathering(served, input)
  }

  private func runGathering(_ served: ServedModel, _ input: ModelInput) -> ServedModel.Output {
    let gathering = Gathering(served)
    for job in queue.candidates(for: served, in: lane) {
      job.task.state.withLock { $0.gathering = gathering }
      job.run()
      job.task.state.withLock { $0.gathering = nil }
    }
    let members = gathering.members.withLock(\.self)
    for member in members { served.statistics.recordQueue(member.task.queueDuration) }
    let outputs = served.run(merging: [input] + members.map(\.input))
    for (member, output) in zip(members, outputs.dropFirst()) {
      collectJobs(of: member.task) { member.continuation.resume(returning: output) }
    }
    return outputs[0]
  }

  /// Resumes a request, which the thread of this one continues with.
  private func collectJobs(of task: RequestTask, _ resume: () -> Void) {
    task.state.withLock { $0.collector = self }
    resume()
    task.state.withLock { $0.collector = nil }
  }

  /// Removes the jobs that the thread of this request does before others.
  func takeCollectedJob() -> Job? {
    state.withLock { $0.collected.isEmpty ? nil : $0.collected.removeFirst() }
  }
}

// What a handler asks of the threads that run it. A request that is handled on the caller's thread has none to ask.
extension RequestContext {
  /// Lets other handlers run, if some wait for a thread.
  ///
  /// - Throws: A ``ClientError`` if the response is not needed anymore.
  func yield() async throws(ClientError) {
    await task?.yield()
    try checkCancellation()
  }

  /// Continues in the background, for work that takes long and must not delay others.
  ///
  /// - Throws: A ``ClientError`` if too much waits there, or if the response is not needed anymore.
  func moveToBackground() async throws(ClientError) {
    guard await task?.moveToBackground() ?? true else { throw .overloaded }
    try checkCancellation()
  }

  /// Runs a model on the thread of the handler, possibly in one invocation with the runs of other requests.
  func run(_ served: ServedModel, _ input: ModelInput) async -> ServedModel.Output {
    guard let task else { return served.run(input) }
    return await task.run(served, input)
  }
}

extension ClientError {
  /// Too many requests wait in the background.
  fileprivate static let overloaded = ClientError(
    .serviceUnavailable, "overloaded", "too many requests are queued")
}
