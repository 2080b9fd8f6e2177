import TensorIO
import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOStreaming
import TensorIOSystem
import TensorIOTasks

/// Runs a model on the frames of a stream, until it ends or is interrupted.
struct StreamRunner {
  let identity: RunRecord.ModelIdentity
  let writer: StreamRecordWriter
  let annotatedWriter: AnnotatedFrameWriter?
  let isCancelled: @Sendable () -> Bool
  let clock: SecondsClock
  let console: Console

  /// Processes all frames and returns the exit code.
  func run(
    _ feed: consuming some FrameFeed, _ rateLimiter: FrameRateLimiter, _ processor: FrameProcessor
  ) -> ExitCode {
    var (rateLimiter, processor) = (rateLimiter, processor)
    var statistics = StreamStatistics()
    var status = StreamProgress(console, clock: clock)
    var failures: [OperationError] = []
    do throws(OperationError) {
      while !isCancelled(), let frame = try feed.next() {
        statistics.received = feed.receivedCount
        if rateLimiter.accepts(frame.time) {
          failures += process(frame, &processor, &statistics)
          guard failures.last?.isFatalForStreams != true else { break }
        }
        status.report(statistics)
      }
    } catch {
      if !isCancelled() { failures.append(reported(error)) }
    }
    statistics.received = feed.receivedCount
    if statistics.received == 0, failures.isEmpty, !isCancelled() {
      failures.append(reported(.noFrames))
    }
    failures += finishWriting()
    status.finish(statistics)
    return exitCode(failures, statistics)
  }

  private func process(
    _ frame: VideoFrame, _ processor: inout FrameProcessor, _ statistics: inout StreamStatistics
  ) -> [OperationError] {
    let result = Result { () throws(OperationError) in try processor.process(frame) }
    writer.write(
      RunRecord(
        model: identity, input: "",
        result: result.map(\.success),
        frame: RunRecord.FramePosition(number: frame.number, seconds: frame.time)))
    switch result {
    case .success((_, let stages)):
      statistics.addProcessed(stages)
      return []
    case .failure(let error):
      statistics.addFailure()
      return [reported(error.withContext(frame: frame.number))]
    }
  }

  /// Finishes the annotated video, also after an error.
  private func finishWriting() -> [OperationError] {
    do throws(OperationError) {
      try annotatedWriter?.finish()
      return []
    } catch {
      return [reported(error)]
    }
  }

  private func reported(_ error: OperationError) -> OperationError {
    console.printError(error)
    return error
  }

  private func exitCode(_ failures: [OperationError], _ statistics: StreamStatistics) -> ExitCode {
    if isCancelled() { return .interrupted }
    guard let error = failures.first(where: \.isFatalForStreams) ?? failures.first else {
      return .success
    }
    return statistics.processed == 0 || error.isFatalForStreams ? error.exitCode : .partialFailure
  }
}

extension OperationError {
  /// Whether all later frames would fail as well, because they cannot be written.
  fileprivate var isFatalForStreams: Bool { code == "unwritable" || code == "ffmpeg-missing" }

  fileprivate static let noFrames = OperationError.input("no-frames", "the stream has no frames")

  fileprivate func withContext(frame number: Int) -> OperationError {
    OperationError(code, "frame \(number): \(message)", exitCode: exitCode)
  }
}

/// Writes the records of a stream as text lines or as JSON lines.
struct StreamRecordWriter {
  let isText: Bool
  let labels: LabelSelection
  let console: Console

  /// Writes the record of a frame.
  func write(_ record: RunRecord) {
    guard isText else {
      return console.writeJSON(.compact) { record.write(to: &$0, labels: labels) }
    }
    // In text mode, errors go to standard error only.
    guard case .success(let success) = record.result, let frame = record.frame else { return }
    let text = (success.formattedText ?? "").sanitizedForTerminal
    console.printText("\(frame.seconds.formatted(decimals: 2)) s  \(text)")
  }
}

/// Reports the progress of a stream periodically: on a terminal in one line that is rewritten, else
/// in a line every few seconds.
struct StreamProgress {
  private let console: Console
  private let clock: SecondsClock
  private let start: Double
  private var nextReport: Double

  init(_ console: Console, clock: @escaping SecondsClock) {
    (self.console, self.clock) = (console, clock)
    start = clock()
    nextReport = start + Self.interval(console)
  }

  private static func rewritesLine(_ console: Console) -> Bool {
    console.isMessageTerminal && !console.isOutputTerminal
  }

  private static func interval(_ console: Console) -> Double { rewritesLine(console) ? 0.5 : 10 }

  /// Prints a report if one is due.
  mutating func report(_ statistics: StreamStatistics) {
    let now = clock()
    guard now >= nextReport, !console.isQuiet else { return }
    nextReport = now + Self.interval(console)
    let line = Self.line(statistics, seconds: now - start)
    if Self.rewritesLine(console) {
      console.rewriteProgressLine(line)
    } else {
      console.writeMessage(Array("\(line)\n".utf8))
    }
  }

  /// Prints the final counts and latencies.
  func finish(_ statistics: StreamStatistics) {
    if Self.rewritesLine(console), !console.isQuiet { console.writeMessage(Array("\u{1B}[K".utf8)) }
    console.info(Self.line(statistics, seconds: clock() - start))
    statistics.tableLines.forEach(console.info)
  }

  private static func line(_ statistics: StreamStatistics, seconds: Double) -> String {
    let rate = Double(statistics.processed) / max(seconds, 1e-9)
    return [
      statistics.countsText, "\(rate.formatted(decimals: 1))/s", statistics.latencyText,
    ].compactMap(\.self).joined(separator: " · ")
  }
}
