internal import TensorIOCore

/// Says now and then how a stream goes: in one line that changes where nothing else is shown on
/// the terminal, else in a line every few seconds.
struct StreamStatus {
  private let console: Console
  private let clock: Clock
  private let start: Double
  private var nextReport: Double

  init(_ console: Console, clock: @escaping Clock) {
    (self.console, self.clock) = (console, clock)
    start = clock()
    nextReport = start + Self.interval(console)
  }

  private static func changesLine(_ console: Console) -> Bool {
    console.messagesGoToTerminal && !console.isTerminal
  }

  private static func interval(_ console: Console) -> Double { changesLine(console) ? 0.5 : 10 }

  /// Reports when it is time to.
  mutating func report(_ statistics: StreamStatistics) {
    let now = clock()
    guard now >= nextReport, !console.isQuiet else { return }
    nextReport = now + Self.interval(console)
    let line = Self.line(statistics, seconds: now - start)
    console.message(Array((Self.changesLine(console) ? "\(line)\u{1B}[K\r" : "\(line)\n").utf8))
  }

  /// Says how the whole stream went.
  func finish(_ statistics: StreamStatistics) {
    if Self.changesLine(console), !console.isQuiet { console.message(Array("\u{1B}[K".utf8)) }
    console.note(Self.line(statistics, seconds: clock() - start))
    statistics.table.forEach(console.note)
  }

  private static func line(_ statistics: StreamStatistics, seconds: Double) -> String {
    let rate = Double(statistics.answered) / max(seconds, 1e-9)
    return [statistics.counts, "\(rate.fixed(1))/s", statistics.summary].compactMap(\.self)
      .joined(separator: " · ")
  }
}
