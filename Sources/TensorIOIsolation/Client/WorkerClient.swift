import Synchronization
import TensorIOBundle
import TensorIOSystem

/// A worker, as its program sees it: a process that answers, one call at a time.
final class WorkerClient: Sendable {
  private let process: WorkerProcess
  private let channel: MessageChannel
  private let timeout: Duration
  /// Told of an end that was not wanted.
  private let onCrash: @Sendable () -> Void

  init(
    _ command: WorkerCommand, timeout: Duration, onCrash: @escaping @Sendable () -> Void
  ) throws(ModelError) {
    self.timeout = timeout
    self.onCrash = onCrash
    do throws(FileError) {
      let (ours, theirs) = try MessageChannel.pair()
      channel = ours
      process = try WorkerProcess(command, theirs.descriptor)
    } catch {
      throw ModelError(.runtime, .workerMissing(searched: ["\(command.path): \(error.message)"]))
    }
  }

  /// Nobody asks it any more.
  deinit { process.kill() }

  /// Its process's number, while there is one.
  var processID: Int32? { process.id }

  /// Whether it has gone while nobody asked it anything.
  var isDisconnected: Bool { channel.isClosed }

  /// Asks for something, and gives the answer to it.
  ///
  /// - Throws: What the worker answers, or how it ended instead of answering.
  func call(
    _ request: WorkerRequest, with memory: SharedMemory? = nil
  ) throws(ModelError) -> WorkerResponse {
    let answer: WorkerResponse
    do throws(ChannelError) {
      let deadline = Deadline.after(timeout)
      try channel.send(request, with: memory, until: deadline)
      answer = try channel.receiveWithoutDescriptor(until: deadline)
    } catch {
      throw channelFailure(error)
    }
    if case .failed(let error) = answer { throw error }
    return answer
  }

  /// Asks for something that is only done.
  func callExpectingDone(_ request: WorkerRequest, with memory: SharedMemory? = nil) throws(ModelError) {
    guard case .done = try call(request, with: memory) else { throw protocolViolation("another answer") }
  }

  /// The error of a worker whose answer cannot be true.
  func protocolViolation(_ what: String) -> ModelError {
    terminate(reason: "answered what cannot be (\(what)) and was ended")
  }

  private func channelFailure(_ fault: ChannelError) -> ModelError {
    switch fault {
    case .timedOut: return terminate(reason: "did not answer within \(timeout) and was ended")
    case .invalidMessage(let fault): return terminate(reason: "said what cannot be (\(fault)) and was ended")
    case .closed:
      // It is ending already; should it have closed its line alone, it is made to.
      return terminate(reason: nil)
    }
  }

  private func terminate(reason how: String?) -> ModelError {
    if how != nil { process.kill() }
    let end = process.waitForExitOrKill()
    onCrash()
    return ModelError(.run, .workerCrashed(detail: how ?? "\(end)"))
  }
}

/// Which models have ended their workers lately.
final class CrashLoopBreaker: Sendable {
  /// A model: the place, and what lies there.
  struct ModelKey: Hashable, Sendable {
    let path: String
    let stamp: FileStamp?
  }

  private let maxCrashes: Int
  private let window: Duration
  private let crashes = Mutex<[ModelKey: [ContinuousClock.Instant]]>([:])

  init(maxCrashes: Int, window: Duration) {
    self.maxCrashes = max(1, maxCrashes)
    self.window = window
  }

  /// Notes that a model has ended a worker.
  func recordCrash(of model: ModelKey, at now: ContinuousClock.Instant = .now) {
    crashes.withLock { deaths in
      deaths = deaths.compactMapValues { recentCrashes($0, now) }
      deaths[model, default: []].append(now)
    }
  }

  /// A model that has ended too many gets no other for a while.
  func throwIfSuspended(
    _ model: ModelKey, at now: ContinuousClock.Instant = .now
  ) throws(ModelError) {
    let count = crashes.withLock { recentCrashes($0[model] ?? [], now)?.count ?? 0 }
    guard count >= maxCrashes else { return }
    throw ModelError(
      .run, .suspended(crashes: count, seconds: Int(clamping: window.components.seconds)))
  }

  private func recentCrashes(
    _ deaths: [ContinuousClock.Instant], _ now: ContinuousClock.Instant
  ) -> [ContinuousClock.Instant]? {
    let recent = deaths.filter { now - $0 < window }.suffix(maxCrashes)
    return recent.isEmpty ? nil : Array(recent)
  }
}
