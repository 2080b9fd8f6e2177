import CIsolation
import Dispatch
import Synchronization
import TensorIOSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// How a process came to its end.
package enum ProcessExit: Sendable, Hashable {
  case signal(CInt)
  case status(CInt)
}

/// A worker's process: started, ended, and reaped.
///
/// A thread of its own starts it and waits for its end. The system ends a worker when the very thread
/// that started it does, so that thread may not be one that has anything else to do.
final class WorkerProcess: Sendable {
  private enum State {
    case notStarted
    case failed(CInt)
    case running(pid_t)
    case exited(ProcessExit)
  }

  /// How long a process may take to end that has closed its channel.
  private static let exitTimeout = 2.0

  private let state = Mutex(State.notStarted)
  private let started = DispatchSemaphore(value: 0)
  private let exited = DispatchSemaphore(value: 0)

  /// Starts a program with arguments, an environment and one end of a channel.
  init(_ command: WorkerCommand, _ socket: CInt) throws(FileError) {
    // A serial queue has a thread at once, and keeps it for as long as the work lasts.
    DispatchQueue(label: "tensorio.worker").async { [self] in supervise(command, socket) }
    started.wait()
    if case .failed(let error) = state.withLock({ $0 }) { throw .system(error) }
  }

  private func supervise(_ command: WorkerCommand, _ socket: CInt) {
    defer { exited.signal() }
    var id: pid_t = 0
    let error = command.spawn(&id, socket)
    state.withLock { $0 = error == 0 ? .running(id) : .failed(error) }
    started.signal()
    guard error == 0 else { return }
    cisolation_wait_for_exit(id)
    state.withLock { state in
      var (signal, status): (CInt, CInt) = (0, 0)
      unsafe cisolation_reap(id, &signal, &status)
      state = .exited(signal == 0 ? .status(status) : .signal(signal))
    }
  }

  /// Its number, while there is a process of it.
  var id: pid_t? {
    state.withLock { if case .running(let id) = $0 { id } else { nil } }
  }

  /// Ends it at once, unless it has ended; what it may have started ends, too.
  func kill() {
    state.withLock { state in
      guard case .running(let id) = state else { return }
      if killpg(id, SIGKILL) != 0 { _ = sendSignal(id, SIGKILL) }
    }
  }

  /// Waits for its end, which should be near; one that tarries is ended.
  func waitForExitOrKill() -> ProcessExit {
    if exited.wait(timeout: .now() + Self.exitTimeout) == .timedOut {
      kill()
      exited.wait()
    }
    exited.signal()
    return state.withLock { if case .exited(let end) = $0 { end } else { .status(0) } }
  }
}

/// What is started as a worker.
struct WorkerCommand: Sendable {
  var path: String
  var arguments: [String]
  var environment: [String]
  /// Whether what it says goes where the program's own errors do.
  var inheritsStandardError = false

  /// The number of an error, or 0.
  fileprivate func spawn(_ id: inout pid_t, _ socket: CInt) -> CInt {
    let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    return unsafe cisolation_spawn(&id, path, words, variables, socket, inheritsStandardError)
  }
}

/// Inside the type, `kill` would be its own method.
private func sendSignal(_ id: pid_t, _ signal: CInt) -> CInt { kill(id, signal) }

/// The process that this code runs in.
enum CurrentProcess {
  static var id: Int32 { getpid() }
}

extension ProcessExit: CustomStringConvertible {
  /// What it did, after "the process".
  package var description: String {
    switch self {
    case .status(let status): "ended with status \(status)"
    case .signal(SIGXCPU): "used more processor time than it may and was ended"
    case .signal(let signal):
      "was ended by signal \(signal)" + (Self.signalNames[signal].map { " (\($0))" } ?? "")
    }
  }

  private static let signalNames: [CInt: String] = [
    SIGSEGV: "SIGSEGV", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGFPE: "SIGFPE",
    SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGSYS: "SIGSYS", SIGTRAP: "SIGTRAP",
  ]
}

/// The program that this process runs.
package enum CurrentExecutable {
  /// Where it is, links followed; `nil` where the system does not tell.
  package static let path: String? = {
    var path = [CChar](repeating: 0, count: 4096)
    guard unsafe cisolation_executable_path(&path, path.count) else { return nil }
    return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()
}
