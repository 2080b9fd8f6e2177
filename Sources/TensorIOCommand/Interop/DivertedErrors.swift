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
enum DivertedErrors {
  /// Runs a body while the standard error stream leads nowhere.
  static func during<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    let kept = dup(STDERR_FILENO)
    guard nowhere >= 0, kept >= 0 else { return try body() }
    dup2(nowhere, STDERR_FILENO)
    close(nowhere)
    defer {
      dup2(kept, STDERR_FILENO)
      close(kept)
    }
    return try body()
  }
}
