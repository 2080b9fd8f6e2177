/// The standard error stream of the process.
package enum StandardError {
  /// Writes a line.
  @Sendable package static func print(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    // An error is ignored, because there is no other stream to report it on.
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}
