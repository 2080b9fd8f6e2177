internal import CIsolation
internal import Dispatch
internal import Synchronization
internal import TensorIOSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// How a process came to its end.
package enum ProcessEnd: Sendable, Hashable {
  case signal(CInt)
  case status(CInt)
}

/// A worker's process: started, ended, and reaped.
///
/// A thread of its own starts it and waits for its end. The system ends a worker when the very thread
/// that started it does, so that thread may not be one that has anything else to do.
final class WorkerProcess: Sendable {
  private enum State {
    case unborn
    case failed(CInt)
    case alive(pid_t)
    case ended(ProcessEnd)
  }

  /// How long a process may take to end that has closed its channel.
  private static let patience = 2.0

  private let state = Mutex(State.unborn)
  private let started = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts a program with arguments, an environment and one end of a channel.
  init(_ command: WorkerCommand, _ socket: CInt) throws(FileFault) {
    // A serial queue has a thread at once, and keeps it for as long as the work lasts.
    DispatchQueue(label: "tensorio.worker").async { [self] in live(command, socket) }
    started.wait()
    if case .failed(let error) = state.withLock({ $0 }) { throw .system(error) }
  }

  private func live(_ command: WorkerCommand, _ socket: CInt) {
    defer { ended.signal() }
    var id: pid_t = 0
    let error = command.spawn(&id, socket)
    state.withLock { $0 = error == 0 ? .alive(id) : .failed(error) }
    started.signal()
    guard error == 0 else { return }
    cisolation_await(id)
    state.withLock { state in
      var (signal, status): (CInt, CInt) = (0, 0)
      unsafe cisolation_reap(id, &signal, &status)
      state = .ended(signal == 0 ? .status(status) : .signal(signal))
    }
  }

  /// Its number, while there is a process of it.
  var id: pid_t? {
    state.withLock { if case .alive(let id) = $0 { id } else { nil } }
  }

  /// Ends it at once, unless it has ended; what it may have started ends, too.
  func kill() {
    state.withLock { state in
      guard case .alive(let id) = state else { return }
      if killpg(id, SIGKILL) != 0 { _ = system_kill(id, SIGKILL) }
    }
  }

  /// Waits for its end, which should be near; one that tarries is ended.
  func waitOrKill() -> ProcessEnd {
    if ended.wait(timeout: .now() + Self.patience) == .timedOut {
      kill()
      ended.wait()
    }
    ended.signal()
    return state.withLock { if case .ended(let end) = $0 { end } else { .status(0) } }
  }
}

/// What is started as a worker.
struct WorkerCommand: Sendable {
  var path: String
  var arguments: [String]
  var environment: [String]
  /// Whether what it says goes where the program's own errors do.
  var keepsErrors = false

  /// The number of an error, or 0.
  fileprivate func spawn(_ id: inout pid_t, _ socket: CInt) -> CInt {
    let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    return unsafe cisolation_spawn(&id, path, words, variables, socket, keepsErrors)
  }
}

/// Inside the type, `kill` would be its own method.
private func system_kill(_ id: pid_t, _ signal: CInt) -> CInt { kill(id, signal) }

/// The process that this code runs in.
enum OwnProcess {
  static var id: Int32 { getpid() }
}
