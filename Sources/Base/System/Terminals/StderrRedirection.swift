import Synchronization

/// Suppresses what runtimes print to the standard error stream.
///
/// LiteRT announces its delegate there regardless of the log level. Only executables may redirect
/// the stream of their process; the library never does.
package enum StderrRedirection {
  /// The number of closures that are running, and the redirected streams with copies of their descriptors.
  ///
  /// The dictionary of one or two streams would take longer to make than all the rest.
  private static let state = Mutex<(depth: Int, originals: [(stream: Int32, copy: Int32)])>((0, []))

  /// Runs a closure while streams are redirected to `/dev/null`.
  ///
  /// - Parameters:
  ///   - errors: Whether the standard error stream is redirected.
  ///   - output: Whether the standard output stream is redirected, to which LiteRT's accelerator for
  ///     GPUs prints. Nothing else may be printed meanwhile.
  ///   - body: The closure.
  /// - Returns: The value of the closure.
  /// - Throws: The error of the closure.
  package static func suppressing<Result, Failure: Error>(
    errors: Bool = true, output: Bool = false, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin((errors ? [STDERR_FILENO] : []) + (output ? [STDOUT_FILENO] : []))
    defer { end() }
    return try body()
  }

  /// Only the outermost closure saves a stream; inner ones would save the redirected one.
  private static func begin(_ streams: [Int32]) {
    state.withLock { state in
      state.depth += 1
      let streams = streams.filter { stream in
        !state.originals.contains { $0.stream == stream }
      }
      guard !streams.isEmpty else { return }
      let devNull = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
      guard devNull >= 0 else { return }
      for stream in streams {
        let original = fcntl(stream, F_DUPFD_CLOEXEC, 0)
        guard original >= 0 else { continue }
        if stream == STDOUT_FILENO { _ = fflush(nil) }
        dup2(devNull, stream)
        state.originals.append((stream, original))
      }
      close(devNull)
    }
  }

  private static func end() {
    state.withLock { state in
      state.depth -= 1
      guard state.depth == 0 else { return }
      if state.originals.contains(where: { $0.stream == STDOUT_FILENO }) { _ = fflush(nil) }
      for (stream, original) in state.originals {
        dup2(original, stream)
        close(original)
      }
      state.originals = []
    }
  }
}
