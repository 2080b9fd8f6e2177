import Dispatch
import Synchronization
import TensorIOSystem

/// Writes lines to a stream whose reader may be slow, may not read at all, or may have ended.
///
/// A thread writes the lines, so that requests never wait for the reader. Lines that exceed the
/// buffer or cannot be written are dropped and counted. As soon as lines can be written again, a
/// line reports the number of dropped lines.
package final class LogWriter: Sendable {
  /// The default size of the buffer, in bytes.
  package static let defaultMaxBytes = 1 << 20
  /// The time after a failed write until the next one.
  private static let retryInterval = Duration.seconds(1)
  /// The time for which lines are collected, so that many of a busy server share a write.
  private static let collectionInterval = Duration.milliseconds(5)
  /// The maximum number of bytes of several lines in one write: up to this size, a write to a pipe
  /// is atomic, so that other writers of the pipe cannot interrupt it.
  private static let maxWriteBytes = 4096
  /// The memory that a line takes in addition to its bytes.
  private static let entryOverhead = 64

  private struct Entry {
    let bytes: [UInt8]
    /// The number of dropped lines if this entry is dropped, which includes those that it reports.
    var lines = 1
    /// Whether it reports dropped lines.
    var isReport = false

    var cost: Int { bytes.count + LogWriter.entryOverhead }
  }

  private struct State {
    var entries: [Entry] = []
    /// The memory of lines that wait or are being written, in bytes.
    var bytes = 0
    /// The number of dropped lines that no entry reports.
    var unreported = 0
    var dropped = 0
    var isClosed = false
  }

  private let write: @Sendable ([UInt8]) -> Int
  private let report: @Sendable (Int) -> [UInt8]
  private let maxBytes: Int
  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)

  /// Creates a writer and its thread; `nil` if the system has no resources for one.
  ///
  /// - Parameters:
  ///   - maxBytes: The size of the buffer, with a small overhead for each line.
  ///   - write: Writes bytes, and returns how many it has written: fewer than all if the stream has
  ///     failed. It may block.
  ///   - report: Returns the line that reports a number of dropped lines.
  package init?(
    maxBytes: Int = defaultMaxBytes, write: @escaping @Sendable ([UInt8]) -> Int,
    report: @escaping @Sendable (Int) -> [UInt8]
  ) {
    (self.maxBytes, self.write, self.report) = (maxBytes, write, report)
    let hasStarted = PermanentThread.start { [self] in run() }
    guard hasStarted else { return nil }
  }

  /// The number of lines that were dropped.
  package var droppedLines: Int { state.withLock(\.dropped) }

  /// Adds a line, which ends with a line feed, unless the buffer is full.
  ///
  /// Does not block.
  package func append(_ line: [UInt8]) {
    let entry = Entry(bytes: line)
    let isFirst = state.withLock { state in
      guard !state.isClosed, state.bytes + entry.cost <= maxBytes else {
        state.dropped += 1
        state.unreported += 1
        return false
      }
      let isFirst = state.entries.isEmpty
      addReport(to: &state)
      state.entries.append(entry)
      state.bytes += entry.cost
      return isFirst
    }
    if isFirst { changed.signal() }
  }

  /// Writes the remaining lines, as far as the stream accepts them in time, and ends the thread.
  package func close(within timeout: Duration) {
    state.withLock { $0.isClosed = true }
    changed.signal()
    let end = ContinuousClock.now + timeout
    while state.withLock({ $0.bytes > 0 }), ContinuousClock.now < end {
      BlockingSleep.sleep(.milliseconds(2))
    }
  }

  /// Adds an entry that reports the dropped lines, after those that were accepted before.
  private func addReport(to state: inout State) {
    guard state.unreported > 0 else { return }
    let entry = Entry(bytes: report(state.unreported), lines: state.unreported, isReport: true)
    state.entries.append(entry)
    state.bytes += entry.cost
    state.unreported = 0
  }
}

// MARK: The thread

extension LogWriter {
  private func run() {
    // Signals are for the thread that waits for them.
    TerminationSignals.block()
    var isWorking = true
    var endsInLine = false
    while true {
      guard let entries = take(reports: isWorking) else {
        if state.withLock(\.isClosed) { return }
        changed.wait()
        if !state.withLock(\.isClosed) { BlockingSleep.sleep(Self.collectionInterval) }
        continue
      }
      isWorking = write(entries, endsInLine: &endsInLine)
      if !isWorking { pause() }
    }
  }

  /// Returns the entries that wait, and a report of lines that were dropped after them.
  ///
  /// After a failed write, a report waits for the next line.
  private func take(reports: Bool) -> [Entry]? {
    state.withLock { state in
      if reports || !state.entries.isEmpty { addReport(to: &state) }
      let entries = state.entries
      state.entries = []
      return entries.isEmpty ? nil : entries
    }
  }

  /// Writes entries, several at a time; returns false if the stream has failed.
  private func write(_ entries: [Entry], endsInLine: inout Bool) -> Bool {
    var next = 0
    while next < entries.count {
      var bytes: [UInt8] = endsInLine ? [UInt8(ascii: "\n")] : []
      var ends: [Int] = []
      let first = next
      while next < entries.count,
        ends.isEmpty || bytes.count + entries[next].bytes.count <= Self.maxWriteBytes
      {
        bytes += entries[next].bytes
        ends.append(bytes.count)
        next += 1
      }
      let count = write(bytes)
      let written = first + ends.count { $0 <= count }
      release(entries[first..<written])
      guard written == next else {
        if count > 0 { endsInLine = !ends.contains(count) }
        lose(entries[written...])
        return false
      }
      endsInLine = false
    }
    return true
  }

  private func release(_ entries: ArraySlice<Entry>) {
    let cost = entries.reduce(0) { $0 + $1.cost }
    state.withLock { $0.bytes -= cost }
  }

  /// Counts entries that cannot be written.
  private func lose(_ entries: ArraySlice<Entry>) {
    release(entries)
    state.withLock { state in
      state.dropped += entries.count { !$0.isReport }
      let lines = entries.reduce(0) { $0 + $1.lines }
      guard !state.entries.isEmpty else {
        state.unreported += lines
        return
      }
      let entry = Entry(bytes: report(lines), lines: lines, isReport: true)
      state.entries.insert(entry, at: 0)
      state.bytes += entry.cost
    }
  }

  /// Waits before the next attempt to write to a stream that has failed.
  private func pause() {
    let end = ContinuousClock.now + Self.retryInterval
    while ContinuousClock.now < end, !state.withLock(\.isClosed) {
      BlockingSleep.sleep(.milliseconds(20))
    }
  }
}
