import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOStreaming
import TensorIOTasks

/// Runs a model on the windows of a sound, until it ends or is interrupted.
struct SoundStreamRunner {
  let identity: RunRecord.ModelIdentity
  let writer: StreamRecordWriter
  let layer: AudioLayer
  /// The number of samples of a window.
  let windowLength: Int
  /// Whether only the latest window is processed if several are available.
  let dropsWindows: Bool
  let isCancelled: @Sendable () -> Bool
  let clock: SecondsClock
  let console: Console

  /// Processes all windows and returns the exit code.
  func run(
    _ source: consuming SoundSource, _ processor: consuming SoundProcessor
  ) throws(OperationError) -> ExitCode {
    var (source, processor) = (source, processor)
    var windows: AudioWindowBuffer
    do throws(AudioError) {
      windows = try AudioWindowBuffer(
        length: windowLength, hop: layer.windowHop,
        remainder: AudioWindows.Remainder(layer.remainder))
      windows.append([Float](repeating: 0, count: layer.context))
    } catch {
      throw .input(error.code, error.description)
    }
    var statistics = StreamStatistics(unit: "window")
    var status = StreamProgress(console, clock: clock)
    var (block, buffer) = ([Float](), [Float](repeating: 0, count: windowLength))
    var failure: OperationError?
    var isOpen = true
    while isOpen, !isCancelled(), failure == nil {
      do throws(OperationError) {
        block.removeAll(keepingCapacity: true)
        isOpen = try source.read(to: &block)
        windows.append(block)
        if !isOpen { windows.finish() }
        var pending: (AudioWindow, [Float])?
        while !isCancelled(), let window = windows.next(into: &buffer) {
          statistics.received += 1
          let samples = Array(buffer.prefix(window.frames.count))
          if dropsWindows {
            pending = (window, samples)
          } else {
            process(window, samples, &processor, &statistics)
          }
        }
        if let (window, samples) = pending { process(window, samples, &processor, &statistics) }
      } catch {
        console.printError(error)
        failure = error
      }
      status.report(statistics)
    }
    status.finish(statistics)
    if isCancelled() { return .interrupted }
    if let failure { return failure.exitCode }
    guard statistics.received > 0 else {
      throw .input("no-samples", "the stream has no samples")
    }
    return statistics.failed == 0
      ? .success : statistics.processed == 0 ? .operationFailed : .partialFailure
  }

  private func process(
    _ window: AudioWindow, _ samples: [Float], _ processor: inout SoundProcessor,
    _ statistics: inout StreamStatistics
  ) {
    let result = Result { () throws(OperationError) in try processor.process(window, samples) }
    let seconds = window.timeRange(sampleRate: layer.sampleRate).lowerBound
    if (try? result.get())?.isReported ?? true {
      writer.write(
        RunRecord(
          model: identity, input: "", result: result.map(\.success),
          frame: RunRecord.FramePosition(number: window.index, seconds: seconds)))
    }
    switch result {
    case .success(let processed): statistics.addProcessed(processed.stages)
    case .failure(let error):
      statistics.addFailure()
      console.printError(
        OperationError(
          error.code, "window \(window.index): \(error.message)", exitCode: error.exitCode))
    }
  }
}
