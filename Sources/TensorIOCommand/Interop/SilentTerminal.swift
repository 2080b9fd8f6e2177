#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A terminal that does not show what is typed.
enum SilentTerminal {
  // Written by the one thread that reads a password, and read by the handler that ends the process.
  nonisolated(unsafe) private static var usual = termios()

  /// Keeps what is typed in a body off the terminal; whoever interrupts it gets the terminal back as it
  /// was.
  ///
  /// The corresponding C functions are `tcgetattr` and `tcsetattr`.
  static func during<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard isatty(STDIN_FILENO) == 1, unsafe tcgetattr(STDIN_FILENO, &usual) == 0 else {
      return try body()
    }
    var silent = unsafe usual
    silent.c_lflag &= ~tcflag_t(ECHO)
    signal(SIGINT) { _ in
      SilentTerminal.restore()
      _exit(Signals.interruptedStatus)
    }
    unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      restore()
      Signals.exitOnInterrupt()
    }
    return try body()
  }

  private static func restore() { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &usual) }
}
