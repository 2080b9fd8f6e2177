/// Terminal input without echo.
package enum HiddenInput {
  // Written by the one thread that reads a password; read by the signal handler.
  nonisolated(unsafe) private static var savedSettings = termios()

  /// Runs a closure while the terminal does not echo input.
  ///
  /// The settings are restored afterwards, also on SIGINT.
  ///
  /// The corresponding C functions are `tcgetattr` and `tcsetattr`.
  package static func withEchoDisabled<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard isatty(STDIN_FILENO) == 1, unsafe tcgetattr(STDIN_FILENO, &savedSettings) == 0 else {
      return try body()
    }
    var settings = unsafe savedSettings
    settings.c_lflag &= ~tcflag_t(ECHO)
    signal(SIGINT) { _ in
      HiddenInput.restoreEcho()
      _exit(Signals.interruptedStatus)
    }
    unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    defer {
      restoreEcho()
      Signals.exitOnInterrupt()
    }
    return try body()
  }

  private static func restoreEcho() { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &savedSettings) }
}

extension String {
  /// The text with control characters, except line feeds and tabs, replaced.
  ///
  /// Text from untrusted bundles, such as labels, could otherwise control the terminal.
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
