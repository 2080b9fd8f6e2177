import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOStreaming
import TensorIOTasks

/// Answers one frame after the other, each of which takes up what the model remembers.
struct FrameProcessor {
  private let layer: String
  private let inputs: StreamInputs
  private let labels: LabelSelection
  private let postprocessor: TaskPostprocessor
  private let annotated: AnnotatedFrameWriter?
  private var stream: StatefulModel
  private var formatter: any OutputFormatter
  /// What steadies the labels that are drawn, where the formatter steadies those that are told.
  private var smoother: ClassificationSmoother?

  init(
    _ model: Model, _ given: StreamInputs, _ labels: LabelSelection, _ tasks: TaskPostprocessor,
    annotated: AnnotatedFrameWriter?
  ) {
    (self.layer, self.inputs, self.labels, self.postprocessor) = (given.frameInput, given, labels, tasks)
    self.annotated = annotated
    stream = StatefulModel(model)
    formatter = OutputFormatters.builtIn.formatter(for: model.bundle.description)
    smoother = (formatter as? ClassificationFormatter)?.smoother
  }

  /// The answer to a frame, with the time that each stage took.
  mutating func process(
    _ frame: VideoFrame
  ) throws(OperationError) -> (answer: RunRecord.Success, stages: [Stage]) {
    do {
      let start = ContinuousClock.now
      var timings = Timings()
      var values = inputs.values
      values[layer] = frame.image.layerValue
      let output = try stream.run(
        ModelInput.named(values), placeholders: inputs.placeholders, timings: &timings)
      let told = try postprocessor.process(output)
      var answer = RunRecord.Success(told.output, timings)
      answer.taskResult = told.detections
      answer.notes = told.detections?.detections.inconsistencies.map(\.description) ?? []
      answer.formattedText = text(for: told)
      let drawingStart = ContinuousClock.now
      answer.annotatedImagePath = try draw(told, on: frame)
      let end = ContinuousClock.now
      return (answer, timings.stages.dropLast() + finalStages(end - drawingStart, end - start))
    } catch let error as ModelError {
      throw OperationError(error)
    } catch let error as ImageError {
      throw OperationError(imageError: error)
    } catch let failure as OperationError {
      throw failure
    } catch {
      throw OperationError("failed", "\(error)", exitCode: .inferenceFailed)
    }
  }

  typealias Stage = (name: String, duration: Duration)

  private func finalStages(_ drawing: Duration, _ whole: Duration) -> [Stage] {
    (annotated == nil ? [] : [("draw", drawing)]) + [("total", whole)]
  }

  /// The answer in a line: what was found, else what the bundle's formatter says.
  private mutating func text(for answer: TaskPostprocessor.ProcessedOutput) -> String {
    guard let found = answer.detections?.detections else {
      return formatter.text(for: answer.output).replacing("\n", with: ", ")
    }
    return found.indices.map { place in
      let name = answer.detections?.name(at: place) ?? found[place].label
      return "(\(found[place].score.formatted(decimals: 2))) \(name)"
    }.joined(separator: ", ")
  }

  private mutating func draw(
    _ answer: TaskPostprocessor.ProcessedOutput, on frame: VideoFrame
  ) throws -> String? {
    guard let annotated else { return nil }
    var drawing = ResultRenderer(sourceImage: try frame.image.image, result: answer, labels: labels)
    drawing.smoothedEntries = smoothedEntries(answer.output)
    return try annotated.write(drawing, number: frame.number)
  }

  private mutating func smoothedEntries(_ output: ModelOutput) -> [Classification.Entry]? {
    guard smoother != nil,
      let classification = output.layers.lazy.compactMap(\.value.classification).first
    else { return nil }
    let seen = labels.entries(of: classification)
    let entries = smoother?.smooth(seen) ?? seen
    return Array(entries.prefix(labels.maxCount ?? ResultRenderer.defaultLabelCount))
  }
}

/// What goes in with every frame.
struct StreamInputs {
  /// The input that the frames are for.
  let frameInput: String
  /// The values of the other inputs, the same for all frames.
  let values: [String: LayerValue]
  let placeholders: Placeholders

  /// Of words such as `style=painting.jpg`, what goes into which input of a model.
  init(
    _ words: [String], placeholders flags: [String], for model: Model, _ console: Console
  ) throws(OperationError) {
    let pictures = model.callerInputs.filter(\.isImage).map(\.name)
    let layer = pictures.first { name in !words.contains { $0.hasPrefix("\(name)=") } }
    guard let layer else {
      throw .usage("a stream needs an input that takes pictures, and this model has none left")
    }
    let others = model.callerInputs.filter { $0.name != layer }
    let reader = InputValueParser(console)
    let given = try PlaceholderArguments(words, flags: [], others, reader)
    let rest = try PlaceholderArguments(given.remaining, flags: flags, model.placeholders, reader)
    guard rest.remaining.isEmpty else {
      throw .usage("'\(rest.remaining[0])' is no input of this model, as NAME=VALUE names one")
    }
    let missing = others.map(\.name).filter { given.placeholders.values[$0] == nil }
    guard missing.isEmpty else {
      throw .usage("give \(missing.map { "\($0)=VALUE" }.joined(separator: " ")) as well")
    }
    frameInput = layer
    values = given.placeholders.values
    placeholders = rest.placeholders
  }
}
