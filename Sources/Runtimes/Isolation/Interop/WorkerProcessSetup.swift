import CIsolation
import TensorIOSystem

/// Restrictions that a worker process imposes on itself.
package enum WorkerProcessSetup {
  /// The maximum number of open files.
  private static let maxOpenFiles: UInt64 = 256

  /// Closes all inherited descriptors except the channel, and requests termination with the parent.
  ///
  /// - Returns: The channel, or `nil` if the process was not launched as a worker process.
  package static func openChannel(parent: Int32) -> MessageChannel? {
    let socket = CInt(cisolation_worker_socket)
    guard fcntl(socket, F_GETFD) >= 0 else { return nil }
    cisolation_close_descriptors_from(socket + 1)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    guard unsafe chdir("/") == 0, cisolation_exit_with_parent(parent) else { return nil }
    return MessageChannel(socket)
  }

  /// Starts a thread that exits the process when the peer closes the channel.
  ///
  /// Call it after `enterSandbox`, which does not apply to existing threads.
  package static func startParentMonitor() -> Bool {
    cisolation_exit_on_hangup(CInt(cisolation_worker_socket))
  }

  /// Irrevocably gives up access to files, sockets and other processes.
  ///
  /// - Parameter folder: A folder that remains readable, or `nil`.
  /// - Returns: Descriptions of the missing restrictions; empty if the sandbox is complete.
  package static func enterSandbox(readableFolder folder: String?) -> [String] {
    let gaps = unsafe cisolation_enter_sandbox(folder)
    return sandboxGaps.filter { gaps & UInt32($0.flag) != 0 }.map(\.description)
  }

  private static let sandboxGaps = [
    (flag: cisolation_lacks_landlock, description: "Landlock is not available"),
    (flag: cisolation_lacks_seccomp, description: "seccomp is not available"),
    (
      flag: cisolation_has_threads,
      description: "the runtime has already started threads, or /proc is not mounted"
    ),
    (flag: cisolation_can_read, description: "files can be read"),
    (flag: cisolation_can_write, description: "files can be written"),
    (flag: cisolation_can_connect, description: "sockets can be opened"),
    (flag: cisolation_can_execute, description: "programs can be run"),
    (flag: cisolation_can_trace, description: "processes can be traced"),
    (flag: cisolation_can_fork, description: "processes can be started"),
    (flag: cisolation_can_signal, description: "processes can be signaled"),
  ]

  /// Limits the address space and the number of open files; returns false if the system refuses.
  package static func setLimits(addressSpace: Int) -> Bool {
    cisolation_set_limits(UInt64(max(0, addressSpace)), maxOpenFiles)
  }

  /// Limits the processor time from now on to a number of seconds; 0 means no limit.
  package static func limitProcessorTime(seconds: Int) -> Bool {
    cisolation_limit_processor_time(UInt64(max(0, seconds)))
  }
}
