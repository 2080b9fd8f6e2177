/// Terminal input without echo.
package enum HiddenInput {
  // Written by the one thread that reads a password; read by the signal handler.
  nonisolated(unsafe) private static var savedSettings = termios()

  /// Runs a closure while the terminal does not echo input.
  ///
  /// The settings are restored afterwards, even on SIGINT.
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
  /// The text with control and direction characters, except line feeds and tabs, shown as their
  /// code points, such as `<U+202E>`.
  ///
  /// Text from untrusted bundles, such as labels, could otherwise control the terminal or be
  /// displayed in a different order.
  package var sanitizedForTerminal: String {
    replacingTerminalControls { "<U+\($0.codePointDigits)>" }
  }

  /// JSON text with control and direction characters, except line feeds and tabs, escaped.
  ///
  /// The text has the same value, since such characters occur only inside its strings.
  package var escapedJSONForTerminal: String {
    replacingTerminalControls { "\\u\($0.codePointDigits)" }
  }

  private func replacingTerminalControls(_ replacement: (Unicode.Scalar) -> String) -> String {
    guard unicodeScalars.contains(where: \.isTerminalControl) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isTerminalControl {
        text += replacement(scalar)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var isTerminalControl: Bool {
    switch self {
    case "\n", "\t": false
    case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": true
    // Marks, embeddings, overrides and isolates of direction; separators of lines and paragraphs.
    case "\u{61C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
    default: false
    }
  }

  /// The code point as at least four hexadecimal digits.
  fileprivate var codePointDigits: String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
  }
}
