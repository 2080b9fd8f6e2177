import TensorIOCore
import TensorIOSystem

/// Reports the progress of a long run: in one updated line on a terminal, or in a line every few
/// seconds.
package struct ProgressReporter {
  private let total: Int
  private let context: any OperationContext
  private let start = ContinuousClock.now
  private var completed = 0
  private var nextReport: ContinuousClock.Instant

  /// Creates a reporter for a number of items; a single item is not reported.
  package init(total: Int, _ context: any OperationContext) {
    self.total = total
    self.context = context
    nextReport = start + Self.interval(context)
  }

  private static func interval(_ context: any OperationContext) -> Duration {
    context.isMessageTerminal ? .milliseconds(200) : .seconds(10)
  }

  /// Counts an item, and reports it with a detail, at most once per interval.
  package mutating func advance(_ detail: @autoclosure () -> String = "") {
    completed += 1
    guard total > 1, ContinuousClock.now >= nextReport else { return }
    nextReport = ContinuousClock.now + Self.interval(context)
    report(detail())
  }

  /// Clears the progress line.
  package func finish() {
    guard !context.isQuiet, context.isMessageTerminal, nextReport > start + Self.interval(context)
    else { return }
    context.writeMessage(Array("\r\u{1B}[K".utf8))
  }

  private func report(_ detail: String) {
    guard !context.isQuiet else { return }
    let seconds = (ContinuousClock.now - start).milliseconds / 1000
    let rate = Double(completed) / max(seconds, 1e-9)
    let remaining = Double(total - completed) / rate
    let text =
      "\(detail)\(completed) of \(total), \(rate.formatted(decimals: 1))/s, "
      + "\(remaining.formatted(decimals: 0)) s left"
    guard context.isMessageTerminal else { return context.writeMessage(Array("\(text)\n".utf8)) }
    context.rewriteProgressLine("\(bar) \(text)", short: text)
  }

  /// The progress bar.
  private var bar: String {
    let width = 24
    let filled = min(width, completed * width / max(1, total))
    return "[" + String(repeating: "=", count: filled)
      + String(repeating: " ", count: width - filled) + "]"
  }
}

extension OperationContext {
  /// Writes a line over the last one on a terminal; one that does not fit would stay there.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - short: A shorter line for a narrow terminal; a longer one is cut.
  package func rewriteProgressLine(_ line: String, short: String? = nil) {
    let room = max(1, (messageColumns ?? .max) - 1)
    let text = line.displayWidth <= room ? line : short ?? line
    let shown = text.displayWidth <= room ? text : text.truncatedMiddle(toDisplayWidth: room)
    writeMessage(Array("\(shown)\u{1B}[K\r".utf8))
  }
}
