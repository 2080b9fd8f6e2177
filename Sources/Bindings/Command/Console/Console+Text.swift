import TensorIOSystem

extension Console {
  /// The number of columns of the terminal that results are written to; `nil` if they are not.
  var outputColumns: Int? { isOutputTerminal ? terminalColumns() : nil }

  /// The number of columns of the terminal that messages are written to; `nil` if they are not.
  package var messageColumns: Int? { isMessageTerminal ? terminalColumns() : nil }

  /// The form of text among the results.
  var outputText: TerminalText {
    TerminalText(
      width: outputColumns,
      isColored: colorChoice.isColored(isTerminal: isOutputTerminal, environment: environment))
  }

  private var messageText: TerminalText {
    TerminalText(
      width: messageColumns,
      isColored: colorChoice.isColored(isTerminal: isMessageTerminal, environment: environment))
  }

  /// Writes text for people among the results: it fits the terminal, and is colored there.
  ///
  /// Paths and data that scripts read are written with ``print(_:)``.
  func printText(_ text: String) {
    for line in outputText.lines(text.sanitizedForTerminal) { print(line) }
  }

  /// Writes lines of text for people.
  func printText(_ lines: [String]) {
    for line in lines { printText(line) }
  }

  /// Writes a table whose columns are aligned.
  func printTable(_ rows: [[String]]) {
    let rows = rows.map { $0.map(\.sanitizedForTerminal) }
    for line in ColumnFormatter.lines(rows, width: outputColumns) { print(line) }
  }

  /// Writes a warning, unless the console is quiet.
  func warn(_ line: String) {
    guard !isQuiet else { return }
    writeMessageLine(line, prefix: .warning)
  }

  /// Writes a message that fits the terminal.
  func writeMessageLine(_ line: String, prefix: TerminalText.Style? = nil) {
    let text = program.rewritingCommands(in: line).sanitizedForTerminal
    let lines = messageText.lines(text, prefix: prefix)
    writeMessage(Array((lines.joined(separator: "\n") + "\n").utf8))
  }
}
