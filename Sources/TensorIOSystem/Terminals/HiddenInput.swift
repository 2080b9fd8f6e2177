#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A terminal that does not show what is typed.
package enum HiddenInput {
  // Written by the one thread that reads a password, and read by the handler that ends the process.
  nonisolated(unsafe) private static var savedSettings = termios()

  /// Keeps what is typed in a body off the terminal; whoever interrupts it gets the terminal back as it
  /// was.
  ///
  /// The corresponding C functions are `tcgetattr` and `tcsetattr`.
  package static func withEchoDisabled<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard isatty(STDIN_FILENO) == 1, unsafe tcgetattr(STDIN_FILENO, &savedSettings) == 0 else {
      return try body()
    }
    var silent = unsafe savedSettings
    silent.c_lflag &= ~tcflag_t(ECHO)
    signal(SIGINT) { _ in
      HiddenInput.restoreEcho()
      _exit(Signals.interruptedStatus)
    }
    unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      restoreEcho()
      Signals.exitOnInterrupt()
    }
    return try body()
  }

  private static func restoreEcho() { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &savedSettings) }
}

extension String {
  /// The text without what would steer a terminal.
  ///
  /// A bundle may come from anywhere, and its labels and names are shown. Line feeds and tabs stay.
  package var sanitizedForTerminal: String {
    guard unicodeScalars.contains(where: \.isTerminalControl) else { return self }
    var scalars = UnicodeScalarView()
    scalars.append(contentsOf: unicodeScalars.map { $0.isTerminalControl ? "\u{FFFD}" : $0 })
    return String(scalars)
  }
}

extension Unicode.Scalar {
  fileprivate var isTerminalControl: Bool {
    properties.generalCategory == .control && self != "\n" && self != "\t"
  }
}
