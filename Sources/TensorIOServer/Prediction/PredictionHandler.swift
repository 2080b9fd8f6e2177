import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOJSON
import TensorIOTasks

/// Answers one request for predictions, item by item, in the calling thread.
struct PredictionHandler {
  private let served: ServedModel
  private let options: PredictParameters
  private let metrics: ServerMetrics
  private let postprocessor: TaskPostprocessor
  private let labels: LabelSelection

  private var model: Model { served.model }

  init(_ served: ServedModel, _ options: PredictParameters, _ figures: ServerMetrics) {
    (self.served, self.options, self.metrics) = (served, options, figures)
    postprocessor = served.postprocessor.applying( options.resultOptions)
    labels = options.resultOptions.labelSelection(for: served.model.bundle.description.task)
  }

  /// The answer to a request.
  func response(to request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let items = try RequestBodyDecoder(model: model, options: options).items(request)
    if options.isAnnotated { return try annotatedImage(for: items) }
    guard items.isBatch else {
      let record = record(items.items[0].name, .success(try result(for: items.items[0])))
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

extension PredictionHandler {
  /// What has come of one of several items; a failure is told in its place.
  private func record(of item: PredictionItem) -> RunRecord {
    do throws(ClientError) {
      return record(item.name, .success(try result(for: item)))
    } catch {
      return record(item.name, .failure(.init(code: error.code, message: error.message)))
    }
  }

  private func record(
    _ name: String, _ result: Result<RunRecord.Success, RunRecord.RunError>
  ) -> RunRecord {
    RunRecord(model: RunRecord.ModelIdentity(model.bundle), input: name, result: result)
  }

  private func result(for item: PredictionItem) throws(ClientError) -> RunRecord.Success {
    let (told, timings) = try run(item)
    var answer = RunRecord.Success(told.output, timings)
    answer.taskResult = told.detections
    answer.notes = told.detections?.detections.inconsistencies.map(\.description) ?? []
    for layer in told.output.layers {
      guard let image = layer.value.image else { continue }
      answer.images[layer.name] = .png(try Self.png(image))
    }
    return answer
  }

  private func run(
    _ item: PredictionItem
  ) throws(ClientError) -> (TaskPostprocessor.ProcessedOutput, Timings) {
    var timings = Timings()
    do throws(ModelError) {
      let told = try postprocessor.process(try model.run(item.input.get(), timings: &timings))
      metrics.recordRun(of: served.name, timings)
      return (told, timings)
    } catch {
      metrics.recordError(of: served.name)
      throw ClientError(error)
    }
  }
}

// MARK: Pictures

extension PredictionHandler {
  /// The answer drawn on the only item's picture.
  private func annotatedImage(for items: PredictionItems) throws(ClientError) -> HTTPResponse {
    guard !items.isBatch, let item = items.items.first else {
      throw ClientError(.badRequest, "too-many-items", "?annotate=1 is for one item")
    }
    let (told, _) = try run(item)
    guard let picture = (try? item.input.get())?.firstImage(of: model.callerInputs) else {
      throw ClientError(
        .badRequest, "no-picture", "?annotate=1 draws on a picture, and none goes in")
    }
    return HTTPResponse(
      type: "image/png", body: try Self.png(rendered(told, on: picture)))
  }

  private func rendered(
    _ told: TaskPostprocessor.ProcessedOutput, on picture: ImageBuffer
  ) throws(ClientError) -> ImageBuffer {
    do {
      return try ResultRenderer(sourceImage: picture, result: told, labels: labels).image
    } catch {
      throw .renderingFailed
    }
  }

  private static func png(_ image: ImageBuffer) throws(ClientError) -> [UInt8] {
    do throws(ImageError) {
      return try image.encoded(as: .png)
    } catch {
      throw .renderingFailed
    }
  }
}

/// What the words behind the `?` ask for.
struct PredictParameters {
  /// Which answers are wanted.
  var resultOptions = ResultOptions()
  /// The input that a body without names is for.
  var input: String?
  /// Whether the answer is wanted as a picture.
  var isAnnotated = false

  /// Wants what the bundle says.
  init() {}

  /// Reads the words; none is ignored.
  init(_ query: [RequestTarget.QueryItem]) throws(ClientError) {
    for item in query { try apply(item) }
  }

  private mutating func apply(_ item: RequestTarget.QueryItem) throws(ClientError) {
    switch item.name {
    case "top": resultOptions.top = try Self.count(item)
    case "above": resultOptions.above = try Self.number(item)
    case "threshold": resultOptions.threshold = try Self.number(item)
    case "annotate": isAnnotated = try Self.flag(item)
    case "input": input = item.value
    default:
      throw Self.invalidParameter(
        "there is no '\(item.name)' behind the '?'; there are top, above, threshold, annotate "
          + "and input")
    }
  }

  private static func count(_ item: RequestTarget.QueryItem) throws(ClientError) -> Int {
    guard let count = Int(item.value), count > 0 else {
      throw invalidParameter("'\(item.name)' takes a whole number from 1 up")
    }
    return count
  }

  private static func number(_ item: RequestTarget.QueryItem) throws(ClientError) -> Float {
    guard let number = Float(item.value), number.isFinite else {
      throw invalidParameter("'\(item.name)' takes a number")
    }
    return number
  }

  private static func flag(_ item: RequestTarget.QueryItem) throws(ClientError) -> Bool {
    switch item.value {
    case "", "1", "true": return true
    case "0", "false": return false
    default: throw invalidParameter("'\(item.name)' takes 1 or 0")
    }
  }

  private static func invalidParameter(_ message: String) -> ClientError {
    ClientError(.badRequest, "bad-query", message)
  }
}
