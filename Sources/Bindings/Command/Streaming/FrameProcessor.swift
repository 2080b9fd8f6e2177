import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOStreaming
import TensorIOTasks

/// Runs a model on consecutive frames and passes its state from frame to frame.
struct FrameProcessor {
  private let layer: String
  private let inputs: StreamInputs
  private let labels: LabelSelection
  private let postprocessor: TaskPostprocessor
  private let annotated: AnnotatedFrameWriter?
  private let stream: ModelStream
  /// Whether results have what to draw on the frame.
  var includesOverlay = false
  private var formatter: any OutputFormatter
  /// Smooths the drawn labels, if the bundle's formatter smooths those in the text.
  private var smoother: ClassificationSmoother?
  /// Smooths the result of the task, if the bundle asks for it.
  private var resultSmoother: (any ResultSmoother)?

  init(
    _ model: Model, _ given: StreamInputs, _ labels: LabelSelection, _ tasks: TaskPostprocessor,
    annotated: AnnotatedFrameWriter?
  ) {
    (self.layer, self.inputs, self.labels, self.postprocessor) = (
      given.streamedInput, given, labels, tasks
    )
    self.annotated = annotated
    stream = model.stream()
    formatter = OutputFormatters.builtIn.formatter(for: model.bundle.description)
    resultSmoother = tasks.makeSmoother()
    smoother = (formatter as? ClassificationFormatter)?.smoother
  }

  /// Processes a frame and returns its result, with the duration of each stage.
  mutating func process(
    _ frame: VideoFrame
  ) throws(OperationError) -> (success: RunRecord.Success, stages: [Stage]) {
    do {
      let start = ContinuousClock.now
      var timings = Timings()
      var values = inputs.values
      values[layer] = frame.image.layerValue
      let output = try stream.run(
        ModelInput.named(values), placeholders: inputs.placeholders, timings: &timings)
      var processed = try postprocessor.process(output)
      if let result = processed.result {
        processed.result = resultSmoother?.smooth(result, at: frame.time) ?? result
      }
      var success = RunRecord.Success(processed, timings)
      success.formattedText = text(for: processed)
      if includesOverlay { success.overlay = processed.overlay(labels: labels) }
      let drawingStart = ContinuousClock.now
      let image = try draw(processed, on: frame)
      let encodingStart = ContinuousClock.now
      success.annotatedImagePath = try image.flatMap {
        try annotated?.write($0, number: frame.number)
      }
      let end = ContinuousClock.now
      var stages: [Stage] = Array(timings.stages.dropLast())
      if annotated != nil {
        stages += [("draw", encodingStart - drawingStart), ("encode", end - encodingStart)]
      }
      return (success, stages + [("total", end - start)])
    } catch {
      throw OperationError(error)
    }
  }

  typealias Stage = (name: String, duration: Duration)

  /// The result in a line: that of the task, or else the text of the bundle's formatter.
  private mutating func text(for result: TaskPostprocessor.ProcessedOutput) -> String {
    result.result?.summary ?? formatter.text(for: result.output).replacing("\n", with: ", ")
  }

  private mutating func draw(
    _ result: TaskPostprocessor.ProcessedOutput, on frame: VideoFrame
  ) throws -> ImageBuffer? {
    guard annotated != nil else { return nil }
    var drawing = ResultRenderer(sourceImage: try frame.image.image, result: result, labels: labels)
    drawing.smoothedEntries = smoothedEntries(result.output)
    return try drawing.renderedImage
  }

  private mutating func smoothedEntries(_ output: ModelOutput) -> [Classification.Entry]? {
    guard smoother != nil,
      let classification = output.layers.lazy.compactMap(\.value.classification).first
    else { return nil }
    let current = labels.entries(of: classification)
    let entries = smoother?.smooth(current) ?? current
    return Array(
      entries.prefix(labels.top ?? TaskPostprocessor.ProcessedOutput.defaultLabelCount))
  }
}

/// The inputs of a stream: the input that receives the frames or the sound, and constant values for
/// the others.
struct StreamInputs {
  /// The name of the input that receives the frames or the sound.
  let streamedInput: String
  /// The values of the other inputs, which are the same for all frames.
  let values: [String: LayerValue]
  let placeholders: Placeholders

  /// Parses arguments such as `style=painting.jpg` for a model.
  init(
    _ arguments: [String], placeholders flags: [String], for model: Model, _ console: Console
  ) throws(OperationError) {
    let streamable = model.callerInputs.filter { $0.isImage || $0.isAudio }.map(\.name)
    let layer = streamable.first { name in
      !arguments.contains { $0.hasPrefix("\(name)=") }
    }
    guard let layer else {
      throw .usage(
        "a stream requires a model with an image or audio input that is not given as NAME=VALUE")
    }
    let others = model.callerInputs.filter { $0.name != layer }
    let parser = InputValueParser(console)
    let constants = try PlaceholderArguments(arguments, flags: [], others, parser)
    let rest = try PlaceholderArguments(
      constants.remaining, flags: flags, model.placeholders, parser)
    guard rest.remaining.isEmpty else {
      throw .usage("'\(rest.remaining[0])' is not an input of this model in the form NAME=VALUE")
    }
    let missing = others.map(\.name).filter { constants.placeholders.values[$0] == nil }
    guard missing.isEmpty else {
      throw .usage("missing inputs: \(missing.map { "\($0)=VALUE" }.joined(separator: " "))")
    }
    streamedInput = layer
    values = constants.placeholders.values
    placeholders = rest.placeholders
  }
}
