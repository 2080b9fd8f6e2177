import TensorIOCore

/// Says how far a long run has come: on a terminal in one line that changes, else in a line now
/// and then.
struct ProgressReporter {
  private let total: Int
  private let console: Console
  private let start = ContinuousClock.now
  private var completed = 0
  private var nextReport: ContinuousClock.Instant

  /// Progress towards a number of items.
  ///
  /// Few items need none.
  init(total: Int, _ console: Console) {
    self.total = total
    self.console = console
    nextReport = start + Self.interval(console)
  }

  private static func interval(_ console: Console) -> Duration {
    console.isMessageTerminal ? .milliseconds(200) : .seconds(10)
  }

  /// Counts an item, of which there may be more to say.
  mutating func advance(_ detail: @autoclosure () -> String = "") {
    completed += 1
    guard total > 1, ContinuousClock.now >= nextReport else { return }
    nextReport = ContinuousClock.now + Self.interval(console)
    report(detail())
  }

  /// Clears the line.
  func finish() {
    guard console.isMessageTerminal, nextReport > start + Self.interval(console) else { return }
    console.writeMessage(Array("\r\u{1B}[K".utf8))
  }

  private func report(_ detail: String) {
    guard !console.isQuiet else { return }
    let seconds = (ContinuousClock.now - start).milliseconds / 1000
    let rate = Double(completed) / max(seconds, 1e-9)
    let left = Double(total - completed) / rate
    let facts = "\(detail)\(completed) of \(total), \(rate.formatted(decimals: 1))/s, \(left.formatted(decimals: 0)) s left"
    let line = console.isMessageTerminal ? "\(bar) \(facts)\u{1B}[K\r" : facts + "\n"
    console.writeMessage(Array(line.utf8))
  }

  /// How far the run has come, for the eye.
  private var bar: String {
    let width = 24
    let filled = min(width, completed * width / max(1, total))
    return "[" + String(repeating: "=", count: filled)
      + String(repeating: " ", count: width - filled) + "]"
  }
}
