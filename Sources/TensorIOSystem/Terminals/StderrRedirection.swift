import Synchronization

/// Suppresses what runtimes print to the standard error stream.
///
/// LiteRT announces its delegate there regardless of the log level. Only executables may redirect
/// the stream of their process; the library never does.
package enum StderrRedirection {
  /// The number of closures that are running, and the original stream.
  private static let state = Mutex<(depth: Int, original: Int32)>((0, -1))

  /// Runs a closure while the standard error stream is redirected to `/dev/null`.
  package static func suppressing<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin()
    defer { end() }
    return try body()
  }

  /// Only the outermost closure saves the stream; inner ones would save the redirected one.
  private static func begin() {
    state.withLock { state in
      state.depth += 1
      guard state.depth == 1 else { return }
      let devNull = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
      guard devNull >= 0 else { return }
      state.original = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
      if state.original >= 0 { dup2(devNull, STDERR_FILENO) }
      close(devNull)
    }
  }

  private static func end() {
    state.withLock { state in
      state.depth -= 1
      guard state.depth == 0, state.original >= 0 else { return }
      dup2(state.original, STDERR_FILENO)
      close(state.original)
      state.original = -1
    }
  }
}
