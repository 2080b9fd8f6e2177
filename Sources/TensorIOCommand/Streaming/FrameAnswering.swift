internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOTasks

/// Answers one frame after the other, each of which takes up what the model remembers.
struct FrameAnswering {
  private let layer: String
  private let given: StreamInputs
  private let labels: LabelSelection
  private let tasks: TaskAnswering
  private let annotated: AnnotatedFrames?
  private var stream: ModelStream
  private var formatter: any OutputFormatter
  /// What steadies the labels that are drawn, where the formatter steadies those that are told.
  private var smoother: ClassificationSmoother?

  init(
    _ model: Model, _ given: StreamInputs, _ labels: LabelSelection, _ tasks: TaskAnswering,
    annotated: AnnotatedFrames?
  ) {
    (self.layer, self.given, self.labels, self.tasks) = (given.frameLayer, given, labels, tasks)
    self.annotated = annotated
    stream = ModelStream(model)
    formatter = OutputFormatters.standard.formatter(for: model.bundle.description)
    smoother = (formatter as? ClassificationFormatter)?.smoother
  }

  /// The answer to a frame, with the time that each stage took.
  mutating func answer(
    _ frame: Frame
  ) throws(CommandFailure) -> (answer: RunRecord.Answer, stages: [Stage]) {
    do {
      let start = ContinuousClock.now
      var timings = Timings()
      var values = given.values
      values[layer] = frame.picture.value
      let output = try stream.run(
        ModelInput.named(values), placeholders: given.placeholders, timings: &timings)
      let told = try tasks.answer(output)
      var answer = RunRecord.Answer(told.output, timings)
      answer.telling = told.detections
      answer.notes = told.detections?.detections.findings.map(\.description) ?? []
      answer.text = text(for: told)
      let drawingStart = ContinuousClock.now
      answer.annotated = try draw(told, on: frame)
      let end = ContinuousClock.now
      return (answer, timings.stages.dropLast() + ending(end - drawingStart, end - start))
    } catch let error as ModelError {
      throw CommandFailure(error)
    } catch let error as ImageError {
      throw CommandFailure(input: error)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure("failed", "\(error)", exit: .run)
    }
  }

  typealias Stage = (name: String, duration: Duration)

  private func ending(_ drawing: Duration, _ whole: Duration) -> [Stage] {
    (annotated == nil ? [] : [("draw", drawing)]) + [("total", whole)]
  }

  /// The answer in a line: what was found, else what the bundle's formatter says.
  private mutating func text(for answer: TaskAnswering.Answer) -> String {
    guard let found = answer.detections?.detections else {
      return formatter.text(for: answer.output).replacing("\n", with: ", ")
    }
    return found.indices.map { place in
      let name = answer.detections?.name(at: place) ?? found[place].label
      return "(\(found[place].score.fixed(2))) \(name)"
    }.joined(separator: ", ")
  }

  private mutating func draw(
    _ answer: TaskAnswering.Answer, on frame: Frame
  ) throws -> String? {
    guard let annotated else { return nil }
    var drawing = AnswerDrawing(picture: try frame.picture.image, answer: answer, labels: labels)
    drawing.steadied = steadied(answer.output)
    return try annotated.write(drawing, number: frame.number)
  }

  private mutating func steadied(_ output: ModelOutput) -> [Classification.Entry]? {
    guard smoother != nil,
      let classification = output.layers.lazy.compactMap(\.value.classification).first
    else { return nil }
    let seen = labels.entries(of: classification)
    let entries = smoother?.smooth(seen) ?? seen
    return Array(entries.prefix(labels.count ?? AnswerDrawing.usualLabels))
  }
}

/// What goes in with every frame.
struct StreamInputs {
  /// The input that the frames are for.
  let frameLayer: String
  /// The values of the other inputs, the same for all frames.
  let values: [String: LayerValue]
  let placeholders: Placeholders

  /// Of words such as `style=painting.jpg`, what goes into which input of a model.
  init(
    _ words: [String], placeholders flags: [String], for model: Model, _ console: Console
  ) throws(CommandFailure) {
    let pictures = model.askedInputs.filter(\.isPicture).map(\.name)
    let layer = pictures.first { name in !words.contains { $0.hasPrefix("\(name)=") } }
    guard let layer else {
      throw .usage("a stream needs an input that takes pictures, and this model has none left")
    }
    let others = model.askedInputs.filter { $0.name != layer }
    let reader = ValueReader(console)
    let given = try PlaceholderWords(words, flags: [], others, reader)
    let rest = try PlaceholderWords(given.rest, flags: flags, model.placeholders, reader)
    guard rest.rest.isEmpty else {
      throw .usage("'\(rest.rest[0])' is no input of this model, as NAME=VALUE names one")
    }
    let missing = others.map(\.name).filter { given.placeholders.values[$0] == nil }
    guard missing.isEmpty else {
      throw .usage("give \(missing.map { "\($0)=VALUE" }.joined(separator: " ")) as well")
    }
    frameLayer = layer
    values = given.placeholders.values
    placeholders = rest.placeholders
  }
}
