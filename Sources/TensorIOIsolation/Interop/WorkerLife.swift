internal import CIsolation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What a worker does with its own process.
package enum WorkerLife {
  /// How many files a worker may have open.
  private static let fileLimit: UInt64 = 256

  /// Lets go of all that came from the parent but the channel, and binds this life to the parent's.
  ///
  /// `nil` where the process was not started as a worker.
  package static func begin(parent: Int32) -> Channel? {
    let socket = CInt(cisolation_worker_socket)
    guard fcntl(socket, F_GETFD) >= 0 else { return nil }
    cisolation_close_from(socket + 1)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    guard unsafe chdir("/") == 0, cisolation_die_with_parent(parent) else { return nil }
    return Channel(socket)
  }

  /// Starts to watch whether anybody is at the other end of the channel.
  ///
  /// That takes a thread, which a cage would not be around if it were there before.
  package static func watchParent() -> Bool {
    cisolation_die_with_socket(CInt(cisolation_worker_socket))
  }

  /// Gives up files, sockets and other processes for good; what this machine does not keep it from.
  ///
  /// What lies in a folder may still be read, where one is given.
  package static func cage(reading folder: String?) -> [String] {
    let lacking = unsafe cisolation_cage(folder)
    return lacks.filter { lacking & UInt32($0.flag) != 0 }.map(\.words)
  }

  private static let lacks = [
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
  package static func limit(addressSpace: Int) -> Bool {
    cisolation_limit(UInt64(max(0, addressSpace)), fileLimit)
  }

  /// Lets the next call use so many seconds of processor time; 0 for any.
  package static func limitTime(seconds: Int) -> Bool {
    cisolation_limit_time(UInt64(max(0, seconds)))
  }
}
