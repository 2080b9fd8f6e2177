import TensorIO
import TensorIOCore
import TensorIOJSON
import TensorIOStreaming
import TensorIOSystem
import TensorIOTasks

/// Takes the frames of a stream through a model until it ends, or somebody ends it.
struct StreamRunner {
  let identity: RunRecord.ModelIdentity
  let writer: StreamRecordWriter
  let annotatedWriter: AnnotatedFrameWriter?
  let isCancelled: @Sendable () -> Bool
  let clock: SecondsClock
  let console: Console

  /// Runs to the end and returns the exit code that sums it up.
  func run(
    _ feed: consuming some FrameFeed, _ pace: FrameRateLimiter, _ answering: FrameProcessor
  ) -> ExitCode {
    var (pace, answering) = (pace, answering)
    var statistics = StreamStatistics()
    var status = StreamProgress(console, clock: clock)
    var failures: [OperationError] = []
    do throws(OperationError) {
      while !isCancelled(), let frame = try feed.next() {
        statistics.received = feed.receivedCount
        if pace.accepts(frame.time) {
          failures += process(frame, &answering, &statistics)
          guard failures.last?.isFatalForStreams != true else { break }
        }
        status.report(statistics)
      }
    } catch {
      if !isCancelled() { failures.append(reported(error)) }
    }
    statistics.received = feed.receivedCount
    if statistics.received == 0, failures.isEmpty, !isCancelled() { failures.append(reported(.noFrames)) }
    failures += finishWriting()
    status.finish(statistics)
    return exitCode(failures, statistics)
  }

  private func process(
    _ frame: VideoFrame, _ answering: inout FrameProcessor, _ statistics: inout StreamStatistics
  ) -> [OperationError] {
    let result = Result { () throws(OperationError) in try answering.process(frame) }
    writer.write(
      RunRecord(
        model: identity, input: "",
        result: result.map(\.answer)
          .mapError { RunRecord.RunError(code: $0.code, message: $0.message) },
        frame: RunRecord.FramePosition(number: frame.number, seconds: frame.time)))
    switch result {
    case .success((_, let stages)):
      statistics.addProcessed(stages)
      return []
    case .failure(let failure):
      statistics.addFailure()
      return [reported(failure.withContext(frame: frame.number))]
    }
  }

  /// Ends what was written, however the stream has ended.
  private func finishWriting() -> [OperationError] {
    do throws(OperationError) {
      try annotatedWriter?.finish()
      return []
    } catch {
      return [reported(error)]
    }
  }

  private func reported(_ failure: OperationError) -> OperationError {
    console.printError(failure)
    return failure
  }

  private func exitCode(_ failures: [OperationError], _ statistics: StreamStatistics) -> ExitCode {
    if isCancelled() { return .interrupted }
    guard let failure = failures.first(where: \.isFatalForStreams) ?? failures.first else { return .success }
    return statistics.processed == 0 || failure.isFatalForStreams ? failure.exitCode : .partialFailure
  }
}

extension OperationError {
  /// Whether nothing can come of any later frame, since there is no place for it.
  fileprivate var isFatalForStreams: Bool { code == "unwritable" || code == "ffmpeg-missing" }

  fileprivate static let noFrames = OperationError.input("no-frames", "there are no frames")

  fileprivate func withContext(frame number: Int) -> OperationError {
    OperationError(code, "frame \(number): \(message)", exitCode: exitCode)
  }
}

/// Writes the answers of a stream as they come: a line for people, or one JSON object.
struct StreamRecordWriter {
  let isText: Bool
  let labels: LabelSelection
  let console: Console

  /// Writes the answer to a frame.
  func write(_ record: RunRecord) {
    guard isText else {
      var writer = JSONWriter(.compact)
      record.write(to: &writer, labels: labels)
      return console.writeOutput(writer.bytes + Array("\n".utf8))
    }
    // What failed is told where everything else is.
    guard case .success(let answer) = record.result, let frame = record.frame else { return }
    console.print("\(frame.seconds.formatted(decimals: 2)) s  \((answer.formattedText ?? "").sanitizedForTerminal)")
  }
}

/// Says now and then how a stream goes: in one line that changes where nothing else is shown on
/// the terminal, else in a line every few seconds.
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

  /// Reports when it is time to.
  mutating func report(_ statistics: StreamStatistics) {
    let now = clock()
    guard now >= nextReport, !console.isQuiet else { return }
    nextReport = now + Self.interval(console)
    let line = Self.line(statistics, seconds: now - start)
    console.writeMessage(Array((Self.rewritesLine(console) ? "\(line)\u{1B}[K\r" : "\(line)\n").utf8))
  }

  /// Says how the whole stream went.
  func finish(_ statistics: StreamStatistics) {
    if Self.rewritesLine(console), !console.isQuiet { console.writeMessage(Array("\u{1B}[K".utf8)) }
    console.info(Self.line(statistics, seconds: clock() - start))
    statistics.tableLines.forEach(console.info)
  }

  private static func line(_ statistics: StreamStatistics, seconds: Double) -> String {
    let rate = Double(statistics.processed) / max(seconds, 1e-9)
    return [statistics.countsText, "\(rate.formatted(decimals: 1))/s", statistics.latencyText].compactMap(\.self)
      .joined(separator: " · ")
  }
}
