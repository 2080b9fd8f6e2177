internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOTasks

/// Answers one request for predictions, item by item, in the calling thread.
struct Prediction {
  private let served: ServedModel
  private let options: PredictOptions
  private let figures: ServerFigures
  private let tasks: TaskAnswering
  private let labels: LabelSelection

  private var model: Model { served.model }

  init(_ served: ServedModel, _ options: PredictOptions, _ figures: ServerFigures) {
    (self.served, self.options, self.figures) = (served, options, figures)
    tasks = served.tasks.changed(by: options.answers)
    labels = options.answers.labels(served.model.bundle.description.task)
  }

  /// The answer to a request.
  func response(to request: HTTPRequest) throws(PublicFailure) -> HTTPResponse {
    let items = try BodyReader(model: model, options: options).items(request)
    if options.wantsPicture { return try picture(of: items) }
    guard items.isList else {
      let record = record(items.items[0].name, .success(try answer(to: items.items[0])))
      return .json { record.write(to: &$0, labels: labels) }
    }
    return .json { writer in
      writer.array { writer in
        for item in items.items { record(of: item).write(to: &writer, labels: labels) }
      }
    }
  }
}

// MARK: Records

extension Prediction {
  /// What has come of one of several items; a failure is told in its place.
  private func record(of item: RequestItem) -> RunRecord {
    do throws(PublicFailure) {
      return record(item.name, .success(try answer(to: item)))
    } catch {
      return record(item.name, .failure(.init(code: error.code, message: error.message)))
    }
  }

  private func record(
    _ name: String, _ result: Result<RunRecord.Answer, RunRecord.Failure>
  ) -> RunRecord {
    RunRecord(model: RunRecord.ModelIdentity(model.bundle), input: name, result: result)
  }

  private func answer(to item: RequestItem) throws(PublicFailure) -> RunRecord.Answer {
    let (told, timings) = try run(item)
    var answer = RunRecord.Answer(told.output, timings)
    answer.telling = told.detections
    answer.notes = told.detections?.detections.findings.map(\.description) ?? []
    for layer in told.output.layers {
      guard let image = layer.value.image else { continue }
      answer.pictures[layer.name] = .png(try Self.png(image))
    }
    return answer
  }

  private func run(
    _ item: RequestItem
  ) throws(PublicFailure) -> (TaskAnswering.Answer, Timings) {
    var timings = Timings()
    do throws(ModelError) {
      let told = try tasks.answer(try model.run(item.input.get(), timings: &timings))
      figures.ran(served.name, timings)
      return (told, timings)
    } catch {
      figures.failed(served.name)
      throw PublicFailure(error)
    }
  }
}

// MARK: Pictures

extension Prediction {
  /// The answer drawn on the only item's picture.
  private func picture(of items: RequestItems) throws(PublicFailure) -> HTTPResponse {
    guard !items.isList, let item = items.items.first else {
      throw PublicFailure(.badRequest, "too-many-items", "?annotate=1 is for one item")
    }
    let (told, _) = try run(item)
    guard let picture = (try? item.input.get())?.firstImage(of: model.askedInputs) else {
      throw PublicFailure(
        .badRequest, "no-picture", "?annotate=1 draws on a picture, and none goes in")
    }
    return HTTPResponse(
      type: "image/png", body: try Self.png(drawn(told, on: picture)))
  }

  private func drawn(
    _ told: TaskAnswering.Answer, on picture: ImageBuffer
  ) throws(PublicFailure) -> ImageBuffer {
    do {
      return try AnswerDrawing(picture: picture, answer: told, labels: labels).image
    } catch {
      throw .undrawn
    }
  }

  private static func png(_ image: ImageBuffer) throws(PublicFailure) -> [UInt8] {
    do throws(ImageError) {
      return try image.encoded(as: .png)
    } catch {
      throw .undrawn
    }
  }
}
