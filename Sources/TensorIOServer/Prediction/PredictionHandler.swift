import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOJSON
import TensorIOTasks

/// Handles one prediction request, item by item.
struct PredictionHandler: Sendable {
  private let served: ServedModel
  private let options: PredictParameters
  private let metrics: ServerMetrics
  private let limits: PredictionLimits
  private let postprocessor: TaskPostprocessor
  private let labels: LabelSelection

  private var model: Model { served.model }

  init(
    _ served: ServedModel, _ options: PredictParameters, _ metrics: ServerMetrics,
    _ limits: PredictionLimits
  ) {
    (self.served, self.options, self.metrics, self.limits) = (served, options, metrics, limits)
    postprocessor = served.postprocessor.applying(options.resultOptions)
    labels = options.resultOptions.labelSelection(for: served.model.bundle.description.task)
  }

  /// Decodes a request and runs the first item, or all if there is only one.
  ///
  /// Requests with many items or large images continue in the background.
  func begin(_ request: HTTPRequest) throws(ClientError) -> HandlerStep {
    let items = try RequestBodyDecoder(model: model, options: options).items(request)
    guard items.items.count <= PredictionLimits.maxForegroundItems else {
      return .more(
        HandlerContinuation(isBackground: true) { [self] in
          Self.step { () throws(ClientError) in try start(items, request.context) }
        })
    }
    return try start(items, request.context)
  }

  /// Checks the sizes of all images before the first one is decoded.
  private func start(
    _ items: PredictionItems, _ context: RequestContext
  ) throws(ClientError) -> HandlerStep {
    let largest = try checkPixels(of: items)
    let isBackground =
      items.items.count > PredictionLimits.maxForegroundItems
      || largest > PredictionLimits.maxForegroundPixels
    let work = ItemWork(items: items, context: context, isBackground: isBackground)
    guard isBackground else { return try run(work) }
    return .more(
      HandlerContinuation(isBackground: true) { [self] in
        Self.step { () throws(ClientError) in try run(work) }
      })
  }

  /// Runs the next item and returns the remaining steps, or the response.
  private func run(_ work: ItemWork) throws(ClientError) -> HandlerStep {
    if options.isAnnotated { return .response(try annotatedImage(for: work)) }
    guard work.items.isBatch else {
      let item = work.items.items[0]
      let record = record(item.name, .success(try result(for: item, work)))
      return .response(.json { record.write(to: &$0, labels: labels) })
    }
    var work = work
    if work.records.count < work.items.items.count {
      work.records.append(record(of: work.items.items[work.records.count], work))
    }
    guard work.records.count < work.items.items.count else {
      return .response(
        .json { writer in
          writer.array { writer in
            for record in work.records { record.write(to: &writer, labels: labels) }
          }
        })
    }
    return .more(
      HandlerContinuation(isBackground: work.isBackground) { [self, work] in
        Self.step { () throws(ClientError) in try run(work) }
      })
  }

  private static func step(
    _ body: () throws(ClientError) -> HandlerStep
  ) -> HandlerStep {
    do {
      return try body()
    } catch {
      return .response(error.response)
    }
  }
}

/// The items of a request and the records of those that are done.
private struct ItemWork: Sendable {
  let items: PredictionItems
  let context: RequestContext
  /// Whether the items are processed in the background.
  let isBackground: Bool
  var records: [RunRecord] = []
}

// MARK: Limits

extension PredictionHandler {
  /// Throws an error if an image or all images together have too many pixels, and returns the
  /// number of pixels of the largest item.
  private func checkPixels(of items: PredictionItems) throws(ClientError) -> Int {
    var (total, largest) = (0, 0)
    for item in items.items {
      guard let input = try? item.input.get() else { continue }
      let cost = model.decodingCost(of: input)
      try limits.checkPixels(cost)
      (total, largest) = (total + cost.pixels, max(largest, cost.pixels))
      guard total <= limits.maxRequestPixels else {
        throw ClientError(
          .contentTooLarge, "too-many-pixels",
          "the images of the request exceed the server's limit of \(limits.maxRequestPixels) "
            + "pixels; send fewer images per request")
      }
    }
    return largest
  }

  /// Reserves memory for images while `body` runs.
  private func withMemory<Value>(
    for cost: ImageDecodingCost, _ work: ItemWork, _ body: () throws(ClientError) -> Value
  ) throws(ClientError) -> Value {
    try limits.reserveMemory(
      for: cost, isBackground: work.isBackground, until: work.context.deadline)
    defer { limits.releaseMemory(for: cost, isBackground: work.isBackground) }
    return try body()
  }
}

// MARK: Records

extension PredictionHandler {
  /// Returns the record of one of several items, which holds the error if the item failed.
  private func record(of item: PredictionItem, _ work: ItemWork) -> RunRecord {
    do throws(ClientError) {
      return record(item.name, .success(try result(for: item, work)))
    } catch {
      return record(item.name, .failure(.init(code: error.code, message: error.message)))
    }
  }

  private func record(
    _ name: String, _ result: Result<RunRecord.Success, RunRecord.RunError>
  ) -> RunRecord {
    RunRecord(model: RunRecord.ModelIdentity(model.bundle), input: name, result: result)
  }

  private func result(
    for item: PredictionItem, _ work: ItemWork
  ) throws(ClientError) -> RunRecord.Success {
    let (processed, timings) = try run(item.input, work)
    var success = RunRecord.Success(processed, timings)
    if options.includesDisplay { success.overlay = processed.overlay(labels: labels) }
    for layer in processed.output.layers {
      guard let image = layer.value.image else { continue }
      success.images[layer.name] = .png(try Self.png(image))
    }
    return success
  }

  private func run(
    _ input: Result<ModelInput, ModelError>, _ work: ItemWork
  ) throws(ClientError) -> (TaskPostprocessor.ProcessedOutput, Timings) {
    let cost = (try? input.get()).map { model.decodingCost(of: $0) } ?? .none
    return try withMemory(for: cost, work) { () throws(ClientError) in
      var timings = Timings()
      do throws(ModelError) {
        let processed = try postprocessor.process(
          try model.run(input.get(), timings: &timings))
        metrics.recordRun(of: served.name, timings)
        return (processed, timings)
      } catch {
        metrics.recordError(of: served.name)
        throw ClientError(error)
      }
    }
  }
}

// MARK: Annotated images

extension PredictionHandler {
  /// Returns the only item's image, at a limited size, with the result drawn on it.
  private func annotatedImage(for work: ItemWork) throws(ClientError) -> HTTPResponse {
    guard !work.items.isBatch, let item = work.items.items.first else {
      throw ClientError(
        .badRequest, "single-item-required", "?annotate=1 requires a request with a single item")
    }
    let input = item.input
    let (processed, _) = try run(input, work)
    let maxSide = limits.maxAnnotatedSide
    let cost = (try? input.get())?.annotationCost(of: model.callerInputs, maxSide: maxSide)
    return try withMemory(for: cost ?? .none, work) { () throws(ClientError) in
      let image = (try? input.get())?.firstImage(of: model.callerInputs, maxSide: maxSide)
      guard let image else {
        throw ClientError(
          .badRequest, "no-image-input", "?annotate=1 requires a model that takes an image")
      }
      return HTTPResponse(type: "image/png", body: try Self.png(rendered(processed, on: image)))
    }
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

extension ModelInput {
  /// Returns the cost of decoding the first image at a limited size and of drawing on it.
  fileprivate func annotationCost(of layers: [Layer], maxSide: Int) -> ImageDecodingCost {
    var cost = firstImageCost(of: layers, maxSide: maxSide)
    guard cost.pixels > 0 else { return cost }
    let factor = min(1, Double(maxSide) / Double(max(cost.width, cost.height)))
    let drawn = Double(cost.pixels) * factor * factor
    cost.bytes = max(cost.bytes, Int(drawn) * PredictionLimits.annotationBytesPerPixel)
    return cost
  }
}

/// The query parameters of a prediction request.
struct PredictParameters: Sendable {
  /// Changes to the bundle's postprocessing settings.
  var resultOptions = ResultOptions()
  /// The name of the input that an unnamed body is for.
  var input: String?
  /// Whether to return an annotated image instead of JSON.
  var isAnnotated = false
  /// Whether the JSON includes what to draw on the image.
  var includesDisplay = false

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
    case "display": includesDisplay = try Self.flag(item)
    case "input": input = item.value
    default:
      throw Self.invalidParameter(
        "unknown parameter '\(item.name)'; expected top, score_above, min_score, "
          + "annotate, display and input")
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
