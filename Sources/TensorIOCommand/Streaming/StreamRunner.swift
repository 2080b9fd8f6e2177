internal import TensorIO
internal import TensorIOCore

/// Takes the frames of a stream through a model until it ends, or somebody ends it.
struct StreamRunner {
  let identity: RunRecord.ModelIdentity
  let writer: StreamRecordWriter
  let annotated: AnnotatedFrames?
  let isEnded: @Sendable () -> Bool
  let clock: Clock
  let console: Console

  /// Runs to the end and returns the exit code that sums it up.
  func run(
    _ feed: consuming some FrameFeed, _ pace: FramePace, _ answering: FrameAnswering
  ) -> ExitCode {
    var (pace, answering) = (pace, answering)
    var statistics = StreamStatistics()
    var status = StreamStatus(console, clock: clock)
    var failures: [CommandFailure] = []
    do throws(CommandFailure) {
      while !isEnded(), let frame = try feed.next() {
        statistics.came = feed.count
        if pace.takes(frame.time) {
          failures += take(frame, &answering, &statistics)
          guard failures.last?.endsStreams != true else { break }
        }
        status.report(statistics)
      }
    } catch {
      if !isEnded() { failures.append(told(error)) }
    }
    statistics.came = feed.count
    if statistics.came == 0, failures.isEmpty, !isEnded() { failures.append(told(.noFrames)) }
    failures += finished()
    status.finish(statistics)
    return code(failures, statistics)
  }

  private func take(
    _ frame: Frame, _ answering: inout FrameAnswering, _ statistics: inout StreamStatistics
  ) -> [CommandFailure] {
    let result = Result { () throws(CommandFailure) in try answering.answer(frame) }
    writer.write(
      RunRecord(
        model: identity, input: "",
        result: result.map(\.answer)
          .mapError { RunRecord.Failure(code: $0.code, message: $0.message) },
        frame: RunRecord.FramePlace(number: frame.number, seconds: frame.time)))
    switch result {
    case .success((_, let stages)):
      statistics.count(stages)
      return []
    case .failure(let failure):
      statistics.countFailure()
      return [told(failure.about(frame: frame.number))]
    }
  }

  /// Ends what was written, however the stream has ended.
  private func finished() -> [CommandFailure] {
    do throws(CommandFailure) {
      try annotated?.finish()
      return []
    } catch {
      return [told(error)]
    }
  }

  private func told(_ failure: CommandFailure) -> CommandFailure {
    console.fail(failure)
    return failure
  }

  private func code(_ failures: [CommandFailure], _ statistics: StreamStatistics) -> ExitCode {
    if isEnded() { return .interrupted }
    guard let failure = failures.first(where: \.endsStreams) ?? failures.first else { return .ok }
    return statistics.answered == 0 || failure.endsStreams ? failure.exit : .fellShort
  }
}

extension CommandFailure {
  /// Whether nothing can come of any later frame, since there is no place for it.
  fileprivate var endsStreams: Bool { code == "unwritable" || code == "ffmpeg-missing" }

  fileprivate static let noFrames = CommandFailure.input("no-frames", "there are no frames")

  fileprivate func about(frame number: Int) -> CommandFailure {
    CommandFailure(code, "frame \(number): \(message)", exit: exit)
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
      return console.output(writer.bytes + Array("\n".utf8))
    }
    // What failed is told where everything else is.
    guard case .success(let answer) = record.result, let frame = record.frame else { return }
    console.print("\(frame.seconds.fixed(2)) s  \((answer.text ?? "").printable)")
  }
}
