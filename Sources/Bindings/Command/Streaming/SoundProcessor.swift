import TensorIO
import TensorIOAudio
import TensorIOCore
import TensorIOTasks

/// Runs a model on consecutive windows of sound and passes its state from window to window.
struct SoundProcessor {
  /// The result of a window.
  struct Result {
    let success: RunRecord.Success
    let stages: [FrameProcessor.Stage]
    /// Whether something happens in the window.
    let isReported: Bool
  }

  private let inputs: StreamInputs
  private let postprocessor: TaskPostprocessor
  private let sampleRate: Int
  private let stream: ModelStream
  private var formatter: any OutputFormatter
  /// Finds what happens across windows, if the task does.
  private var resultSmoother: (any ResultSmoother)?
  /// The number of samples at the beginning of a window that belong to the one before, and the shape of a window.
  private let context: Int
  private let shape: [Int]

  init(_ model: Model, _ inputs: StreamInputs, _ tasks: TaskPostprocessor, sampleRate: Int) {
    (self.inputs, postprocessor, self.sampleRate) = (inputs, tasks, sampleRate)
    stream = model.stream()
    resultSmoother = tasks.makeSmoother()
    let layer = model.inputs.first { $0.name == inputs.streamedInput }
    if case .audio(let audio)? = layer?.kind, audio.features != nil {
      shape = [1, model.windowLength(of: inputs.streamedInput) ?? 1]
    } else {
      shape = layer?.shape.dimensions.map { $0 ?? 1 } ?? []
    }
    context = if case .audio(let audio)? = layer?.kind { audio.context } else { 0 }
    formatter = OutputFormatters.builtIn.formatter(for: model.bundle.description)
  }

  /// Returns what fills a window at the end.
  private func silence(after samples: [Float]) -> [Float] {
    [Float](repeating: 0, count: max(0, shape.reduce(1, *) - samples.count))
  }

  /// Processes a window and returns its result, with the duration of each stage, and whether it is reported.
  mutating func process(
    _ window: AudioWindow, _ samples: [Float]
  ) throws(OperationError) -> Result {
    do throws(ModelError) {
      let start = ContinuousClock.now
      var timings = Timings()
      var values = inputs.values
      values[inputs.streamedInput] = .numbers(
        context > 0
          ? Numbers(.floats(samples + silence(after: samples)), shape: shape)
          : Numbers(.floats(samples)))
      let output = try stream.run(
        ModelInput.named(values), placeholders: inputs.placeholders, timings: &timings)
      let seconds = window.timeRange(sampleRate: sampleRate).lowerBound
      var processed = try postprocessor.process(output.shiftingWindows(by: seconds))
      if let result = processed.result {
        processed.result = resultSmoother?.smooth(result, at: seconds) ?? result
      }
      var success = RunRecord.Success(processed, timings)
      success.formattedText =
        processed.result?.summary
        ?? formatter.text(for: processed.output).replacing("\n", with: ", ")
      let stages: [FrameProcessor.Stage] =
        timings.stages.dropLast() + [("total", ContinuousClock.now - start)]
      return Result(
        success: success, stages: stages, isReported: processed.result?.isReported ?? true)
    } catch {
      throw OperationError(error)
    }
  }
}
