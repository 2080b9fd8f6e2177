import TensorIOCore
import TensorIOServer
import TensorIOSystem

/// The console of a server, which must not wait for the readers of its streams.
///
/// From the creation on, a closed pipe does not end the process.
struct ServerConsole: Sendable {
  /// The console, whose streams are buffered.
  let console: Console
  private let output: LogWriter
  private let messages: LogWriter

  /// The maximum time for writing the last lines.
  private static let closeTimeout = Duration.seconds(1)

  /// Creates a console that writes to the streams of another one.
  ///
  /// - Parameters:
  ///   - console: The other console.
  ///   - format: The format in which the log reports dropped lines.
  /// - Throws: An error if the system has no resources for a thread.
  init(_ console: Console, _ format: AccessLog.Format) throws(OperationError) {
    console.ignoreBrokenPipes()
    let output = LogWriter(write: console.tryWritingOutput) { Self.report($0, .text) }
    let messages = LogWriter(write: console.tryWritingMessage) { Self.report($0, format) }
    guard let output, let messages else {
      throw OperationError(
        "server-start-failed", "no thread is available", exitCode: .operationFailed)
    }
    (self.output, self.messages) = (output, messages)
    var console = console
    console.writeOutput = { output.append($0) }
    console.writeMessage = { messages.append($0) }
    self.console = console
  }

  /// The number of lines that were dropped because they could not be written.
  var droppedLines: Int { output.droppedLines + messages.droppedLines }

  /// Writes the last lines, as far as the readers accept them within a second.
  func close() {
    let end = ContinuousClock.now + Self.closeTimeout
    output.close(within: Self.closeTimeout)
    messages.close(within: max(.zero, ContinuousClock.now.duration(to: end)))
  }

  private static func report(_ count: Int, _ format: AccessLog.Format) -> [UInt8] {
    let lines = count == 1 ? "1 line was" : "\(count) lines were"
    return AccessLog.line(format, event: "log-lines-dropped", "\(lines) dropped")
  }
}
