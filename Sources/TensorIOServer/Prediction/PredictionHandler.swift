import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOJSON
import TensorIOTasks

/// Handles one prediction request on the calling thread, item by item.
struct PredictionHandler {
  private let served: ServedModel
  private let options: PredictParameters
  private let metrics: ServerMetrics
  private let postprocessor: TaskPostprocessor
  private let labels: LabelSelection

  private var model: Model { served.model }

  init(_ served: ServedModel, _ options: PredictParameters, _ metrics: ServerMetrics) {
    (self.served, self.options, self.metrics) = (served, options, metrics)
    postprocessor = served.postprocessor.applying(options.resultOptions)
    labels = options.resultOptions.labelSelection(for: served.model.bundle.description.task)
  }

  /// Returns the response to a request.
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
  /// Returns the record of one of several items, which holds the error if the item failed.
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
    let (processed, timings) = try run(item)
    var success = RunRecord.Success(processed.output, timings)
    success.taskResult = processed.detections
    success.notes = processed.detections?.detections.inconsistencies.map(\.description) ?? []
    for layer in processed.output.layers {
      guard let image = layer.value.image else { continue }
      success.images[layer.name] = .png(try Self.png(image))
    }
    return success
  }

  private func run(
    _ item: PredictionItem
  ) throws(ClientError) -> (TaskPostprocessor.ProcessedOutput, Timings) {
    var timings = Timings()
    do throws(ModelError) {
      let processed = try postprocessor.process(
        try model.run(item.input.get(), timings: &timings))
      metrics.recordRun(of: served.name, timings)
      return (processed, timings)
    } catch {
      metrics.recordError(of: served.name)
      throw ClientError(error)
    }
  }
}

// MARK: Annotated images

extension PredictionHandler {
  /// Returns the only item's image with the result drawn on it.
  private func annotatedImage(for items: PredictionItems) throws(ClientError) -> HTTPResponse {
    guard !items.isBatch, let item = items.items.first else {
      throw ClientError(
        .badRequest, "single-item-required", "?annotate=1 requires a request with a single item")
    }
    let (processed, _) = try run(item)
    guard let image = (try? item.input.get())?.firstImage(of: model.callerInputs) else {
      throw ClientError(
        .badRequest, "no-image-input", "?annotate=1 requires a model that takes an image")
    }
    return HTTPResponse(type: "image/png", body: try Self.png(rendered(processed, on: image)))
  }

  private func rendered(
    _ processed: TaskPostprocessor.ProcessedOutput, on image: ImageBuffer
  ) throws(ClientError) -> ImageBuffer {
    do {
      return try ResultRenderer(sourceImage: image, result: processed, labels: labels).image
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

/// The query parameters of a prediction request.
struct PredictParameters {
  /// Changes to the bundle's postprocessing settings.
  var resultOptions = ResultOptions()
  /// The name of the input that an unnamed body is for.
  var input: String?
  /// Whether to return an annotated image instead of JSON.
  var isAnnotated = false

  /// Creates parameters that keep the bundle's settings.
  init() {}

  /// Parses query parameters; an unknown one is an error.
  init(_ query: [RequestTarget.QueryItem]) throws(ClientError) {
    for item in query { try apply(item) }
  }

  private mutating func apply(_ item: RequestTarget.QueryItem) throws(ClientError) {
    switch item.name {
    case "top": resultOptions.top = try Self.count(item)
    case "score_above": resultOptions.above = try Self.number(item)
    case "min_score": resultOptions.threshold = try Self.number(item)
    case "annotate": isAnnotated = try Self.flag(item)
    case "input": input = item.value
    default:
      throw Self.invalidParameter(
        "unknown parameter '\(item.name)'; known are top, score_above, min_score, annotate "
          + "and input")
    }
  }

  private static func count(_ item: RequestTarget.QueryItem) throws(ClientError) -> Int {
    guard let count = Int(item.value), count > 0 else {
      throw invalidParameter("'\(item.name)' must be an integer of at least 1")
    }
    return count
  }

  private static func number(_ item: RequestTarget.QueryItem) throws(ClientError) -> Float {
    guard let number = Float(item.value), number.isFinite else {
      throw invalidParameter("'\(item.name)' must be a number")
    }
    return number
  }

  private static func flag(_ item: RequestTarget.QueryItem) throws(ClientError) -> Bool {
    switch item.value {
    case "", "1", "true": return true
    case "0", "false": return false
    default: throw invalidParameter("'\(item.name)' must be 1 or 0")
    }
  }

  private static func invalidParameter(_ message: String) -> ClientError {
    ClientError(.badRequest, "invalid-query", message)
  }
}
