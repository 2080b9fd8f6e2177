import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Keeps what a runtime prints on the standard error stream away from the user's terminal.
///
/// LiteRT announces its delegate there whatever its log level. Only an executable may do this to
/// its process; the library never does.
package enum StderrRedirection {
  /// How many bodies run at the moment, and the stream as it was before the first of them.
  private static let state = Mutex<(depth: Int, kept: Int32)>((0, -1))

  /// Runs a body while the standard error stream leads nowhere.
  package static func suppressing<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin()
    defer { end() }
    return try body()
  }

  /// Only the first body keeps the stream: a second would keep the way to nowhere.
  private static func begin() {
    state.withLock { state in
      state.depth += 1
      guard state.depth == 1 else { return }
      let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
      guard nowhere >= 0 else { return }
      state.kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
      if state.kept >= 0 { dup2(nowhere, STDERR_FILENO) }
      close(nowhere)
    }
  }

  private static func end() {
    state.withLock { state in
      state.depth -= 1
      guard state.depth == 0, state.kept >= 0 else { return }
      dup2(state.kept, STDERR_FILENO)
      close(state.kept)
      state.kept = -1
    }
  }
}
