import CIsolation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What a worker does with its own process.
package enum WorkerProcessSetup {
  /// How many files a worker may have open.
  private static let maxOpenFiles: UInt64 = 256

  /// Lets go of all that came from the parent but the channel, and binds this life to the parent's.
  ///
  /// `nil` where the process was not started as a worker.
  package static func openChannel(parent: Int32) -> MessageChannel? {
    let socket = CInt(cisolation_worker_socket)
    guard fcntl(socket, F_GETFD) >= 0 else { return nil }
    cisolation_close_descriptors_from(socket + 1)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    guard unsafe chdir("/") == 0, cisolation_exit_with_parent(parent) else { return nil }
    return MessageChannel(socket)
  }

  /// Starts to watch whether anybody is at the other end of the channel.
  ///
  /// That takes a thread, which a cage would not be around if it were there before.
  package static func startParentMonitor() -> Bool {
    cisolation_exit_on_hangup(CInt(cisolation_worker_socket))
  }

  /// Gives up files, sockets and other processes for good; what this machine does not keep it from.
  ///
  /// What lies in a folder may still be read, where one is given.
  package static func enterSandbox(readableFolder folder: String?) -> [String] {
    let lacking = unsafe cisolation_enter_sandbox(folder)
    return sandboxGaps.filter { lacking & UInt32($0.flag) != 0 }.map(\.words)
  }

  private static let sandboxGaps = [
    (flag: cisolation_lacks_landlock, words: "there is no Landlock"),
    (flag: cisolation_lacks_seccomp, words: "there is no seccomp"),
    (flag: cisolation_has_threads, words: "the runtime has threads of its own already"),
    (flag: cisolation_can_read, words: "it could read files"),
    (flag: cisolation_can_write, words: "it could write files"),
    (flag: cisolation_can_connect, words: "it could open sockets"),
    (flag: cisolation_can_execute, words: "it could run programs"),
    (flag: cisolation_can_trace, words: "it could trace processes"),
    (flag: cisolation_can_fork, words: "it could start processes"),
    (flag: cisolation_can_signal, words: "it could end processes"),
  ]

  /// Takes limits upon this process; false where the system refuses.
  package static func setLimits(addressSpace: Int) -> Bool {
    cisolation_set_limits(UInt64(max(0, addressSpace)), maxOpenFiles)
  }

  /// Lets the next call use so many seconds of processor time; 0 for any.
  package static func limitProcessorTime(seconds: Int) -> Bool {
    cisolation_limit_processor_time(UInt64(max(0, seconds)))
  }
}
