import Synchronization
import TensorIOBundle
import TensorIOSystem

/// The client side of a worker process; it has one call in flight at a time.
final class WorkerClient: Sendable {
  private let process: WorkerProcess
  private let channel: MessageChannel
  private let timeout: Duration
  /// Called when the process has terminated unexpectedly, during a call or between calls.
  private let onCrash: @Sendable (_ wasIdle: Bool) -> Void
  private let isCancelled = Atomic(false)
  private let crashed = Atomic(false)

  init(
    _ command: WorkerCommand, timeout: Duration,
    onCrash: @escaping @Sendable (_ wasIdle: Bool) -> Void
  ) throws(ModelError) {
    self.timeout = timeout
    self.onCrash = onCrash
    do throws(FileError) {
      let (ours, theirs) = try MessageChannel.pair()
      channel = ours
      process = try WorkerProcess(command, theirs.descriptor)
    } catch {
      throw Self.launchError(error, command.path)
    }
  }

  /// Returns the error for a worker process that cannot be launched.
  ///
  /// The system reports a missing device, to which the process's input is connected, like a missing
  /// program.
  static func launchError(
    _ error: FileError, _ path: String, nullDevice: String = "/dev/null"
  ) -> ModelError {
    switch error {
    case .notFound where FileKind(at: nullDevice) == nil:
      ModelError(.runtime, .workerMissing(searched: ["\(path): \(nullDevice) does not exist"]))
    case .notFound: ModelError(.runtime, .workerMissing(searched: [path]))
    case .system(EACCES), .system(EPERM), .system(ENOEXEC), .system(EISDIR):
      ModelError(
        .runtime,
        .workerNotLaunched(path, detail: "it is not an executable file (\(error.message))"))
    case .system(EAGAIN), .system(ENOMEM), .system(EMFILE), .system(ENFILE):
      ModelError(
        .runtime,
        .workerNotLaunched(
          path,
          detail: "the system's limit on processes, memory or open files is reached "
            + "(\(error.message)); retry later"))
    default: ModelError(.runtime, .workerNotLaunched(path, detail: error.message))
    }
  }

  deinit { process.kill() }

  /// The process ID, or `nil` if the process has terminated.
  var processID: Int32? { process.id }

  /// Whether the connection was closed while no call was in flight.
  var isDisconnected: Bool { channel.isClosed }

  /// Whether the process terminated during a call without exceeding a limit, so that another one may
  /// complete the call.
  var hasCrashed: Bool { crashed.load(ordering: .relaxed) }

  /// Records that the process terminated while no call was in flight.
  func recordIdleExit() { if !isCancelled.load(ordering: .relaxed) { onCrash(true) } }

  /// Kills the process during a call, which fails as canceled and is not counted as a crash.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    process.kill()
  }

  /// Sends a request and returns the response.
  ///
  /// - Throws: `ModelError` with the error that the worker process reports, or with the reason
  ///   `workerCrashed` if it terminates, exceeds the timeout or violates the protocol.
  func call(
    _ request: WorkerRequest, with memory: SharedMemory? = nil
  ) throws(ModelError) -> WorkerResponse {
    let response: WorkerResponse
    do throws(ChannelError) {
      let deadline = Deadline.after(timeout)
      try channel.send(request, with: memory, until: deadline)
      response = try channel.receiveWithoutDescriptor(until: deadline)
    } catch {
      throw modelError(for: error)
    }
    if case .failed(let error) = response { throw error }
    return response
  }

  /// Sends a request whose response has no value.
  func callExpectingDone(
    _ request: WorkerRequest, with memory: SharedMemory? = nil
  ) throws(ModelError) {
    guard case .done = try call(request, with: memory) else {
      throw protocolViolation("an unexpected response")
    }
  }

  /// Kills a worker process that sent an invalid response, and returns the error.
  func protocolViolation(_ description: String) -> ModelError {
    terminate(reason: "violated the protocol (\(description)) and was killed")
  }

  private func modelError(for error: ChannelError) -> ModelError {
    switch error {
    case .timedOut: return terminate(reason: "did not respond within \(timeout) and was killed")
    case .system(let code):
      let error = FileError.system(code).message
      return terminate(reason: "could not be waited for (\(error)) and was killed")
    case .invalidMessage(let error): return protocolViolation("\(error)")
    case .closed:
      // Usually the process is terminating; if it has only closed its socket, it is killed.
      return terminate(reason: nil)
    }
  }

  private func terminate(reason: String?) -> ModelError {
    if reason != nil { process.kill() }
    let exit = process.waitForExitOrKill()
    guard !isCancelled.load(ordering: .relaxed) else { return ModelError(.run, .cancelled) }
    onCrash(false)
    if reason == nil, exit != .signal(SIGXCPU) { crashed.store(true, ordering: .relaxed) }
    return ModelError(.run, .workerCrashed(detail: reason ?? "\(exit)"))
  }
}

/// A circuit breaker for models whose worker processes crash repeatedly.
final class CrashLoopBreaker: Sendable {
  /// A model file, identified by its path and stamp.
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

  /// Records the crash of a model's worker process.
  func recordCrash(of model: ModelKey, at now: ContinuousClock.Instant = .now) {
    crashes.withLock { crashes in
      crashes = crashes.compactMapValues { recentCrashes($0, now) }
      crashes[model, default: []].append(now)
    }
  }

  /// Throws if the model has crashed `maxCrashes` times within the window.
  func throwIfSuspended(
    _ model: ModelKey, at now: ContinuousClock.Instant = .now
  ) throws(ModelError) {
    let count = crashes.withLock { recentCrashes($0[model] ?? [], now)?.count ?? 0 }
    guard count >= maxCrashes else { return }
    throw ModelError(
      .run, .suspended(crashes: count, seconds: Int(clamping: window.components.seconds)))
  }

  private func recentCrashes(
    _ crashes: [ContinuousClock.Instant], _ now: ContinuousClock.Instant
  ) -> [ContinuousClock.Instant]? {
    let recent = crashes.filter { now - $0 < window }.suffix(maxCrashes)
    return recent.isEmpty ? nil : Array(recent)
  }
}
