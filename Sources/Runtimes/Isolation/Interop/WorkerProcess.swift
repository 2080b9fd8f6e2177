import CIsolation
import Dispatch
import Synchronization
import TensorIOSystem

/// How a process terminated.
package enum ProcessExit: Sendable, Hashable {
  case signal(CInt)
  case status(CInt)
}

/// A worker process, which is spawned, killed and reaped.
///
/// A dedicated thread spawns the process and waits for its exit. The parent-death signal of Linux
/// is sent when the spawning thread terminates, so that thread must live as long as the process.
final class WorkerProcess: Sendable {
  private enum State {
    case notStarted
    case failed(CInt)
    case running(pid_t)
    case exited(ProcessExit)
  }

  /// The time in seconds that a process may take to exit after closing its socket.
  private static let exitTimeout = 2.0

  private let state = Mutex(State.notStarted)
  private let started = DispatchSemaphore(value: 0)
  private let exited = DispatchSemaphore(value: 0)

  /// Spawns a process that inherits one end of a channel.
  init(_ command: WorkerCommand, _ socket: CInt) throws(FileError) {
    guard PermanentThread.start(.normal, { [self] in supervise(command, socket) }) else {
      throw .system(EAGAIN)
    }
    started.wait()
    if case .failed(let error) = state.withLock({ $0 }) { throw .system(error) }
  }

  private func supervise(_ command: WorkerCommand, _ socket: CInt) {
    defer { exited.signal() }
    var id: pid_t = 0
    let error = command.spawn(&id, socket)
    state.withLock { $0 = error == 0 ? .running(id) : .failed(error) }
    if error == 0 { WorkerProcessRegistry.recordStart(id) }
    started.signal()
    guard error == 0 else { return }
    cisolation_wait_for_exit(id)
    // Before the process is reaped: its number is not used again until then.
    WorkerProcessRegistry.recordExit(id)
    state.withLock { state in
      var (signal, status): (CInt, CInt) = (0, 0)
      unsafe cisolation_reap(id, &signal, &status)
      state = .exited(signal == 0 ? .status(status) : .signal(signal))
    }
  }

  /// The process ID, or `nil` if the process has terminated.
  var id: pid_t? {
    state.withLock { if case .running(let id) = $0 { id } else { nil } }
  }

  /// Kills the process group, unless the process has terminated.
  func kill() {
    state.withLock { state in
      guard case .running(let id) = state else { return }
      if killpg(id, SIGKILL) != 0 { _ = sendSignal(id, SIGKILL) }
    }
  }

  /// Waits for the process to exit, and kills it after a timeout.
  func waitForExitOrKill() -> ProcessExit {
    if exited.wait(timeout: .now() + Self.exitTimeout) == .timedOut {
      kill()
      exited.wait()
    }
    exited.signal()
    return state.withLock { if case .exited(let exit) = $0 { exit } else { .status(0) } }
  }
}

/// The command line of a worker process.
struct WorkerCommand: Sendable {
  var path: String
  var arguments: [String]
  var environment: [String]
  /// Whether the process inherits standard error instead of `/dev/null`.
  var inheritsStandardError = false

  /// Spawns the process and returns 0 or an error number.
  fileprivate func spawn(_ id: inout pid_t, _ socket: CInt) -> CInt {
    let argv = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    let envp = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (argv + envp).forEach { unsafe free($0) } }
    return unsafe cisolation_spawn(&id, path, argv, envp, socket, inheritsStandardError)
  }
}

/// Calls `kill`, which within `WorkerProcess` would be the method.
private func sendSignal(_ id: pid_t, _ signal: CInt) -> CInt { kill(id, signal) }

/// The current process.
enum CurrentProcess {
  static var id: Int32 { getpid() }
}

extension ProcessExit: CustomStringConvertible {
  /// A predicate for a sentence whose subject is the process.
  package var description: String {
    switch self {
    case .status(let status): "exited with status \(status)"
    case .signal(SIGXCPU): "exceeded its processor time limit and was killed"
    case .signal(let signal):
      "was terminated by signal \(signal)" + (Self.signalNames[signal].map { " (\($0))" } ?? "")
    }
  }

  private static let signalNames: [CInt: String] = [
    SIGSEGV: "SIGSEGV", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGFPE: "SIGFPE",
    SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGSYS: "SIGSYS", SIGTRAP: "SIGTRAP",
  ]
}

/// The executable of the current process.
package enum CurrentExecutable {
  /// The path with links resolved, or `nil` if it cannot be determined.
  package static let path: String? = {
    var path = [CChar](repeating: 0, count: 4096)
    guard unsafe cisolation_executable_path(&path, path.count) else { return nil }
    return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()
}
