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
    guard unsafe chdir("/") == 0, cisolation_die_with_parent(parent, socket) else { return nil }
    return Channel(socket)
  }

  /// Takes limits upon this process; false where the system refuses.
  package static func limit(addressSpace: Int) -> Bool {
    cisolation_limit(UInt64(max(0, addressSpace)), fileLimit)
  }

  /// Lets the next call use so many seconds of processor time; 0 for any.
  package static func limitTime(seconds: Int) -> Bool {
    cisolation_limit_time(UInt64(max(0, seconds)))
  }
}
