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
    try request.context.memory.grow(by: ModelRun.inputCopyCount * request.body.count)
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
    if options.isAnnotated { return try annotatedImage(for: work) }
    guard work.items.isBatch else {
      let item = work.items.items[0]
      return process(item.input, work) { result in
        Self.step { () throws(ClientError) in
          let record = record(item.name, .success(try success(result.get())))
          return .response(.json { record.write(to: &$0, labels: labels) })
        }
      }
    }
    guard work.records.count < work.items.items.count else {
      return .response(
        .json { writer in
          writer.array { writer in
            for record in work.records { record.write(to: &writer, labels: labels) }
          }
        })
    }
    if served.maxBatchSize > 1, !model.callerInputs.contains(where: \.isImage) {
      return next(processingTogether(work))
    }
    let item = work.items.items[work.records.count]
    return process(item.input, work) { result in
      var work = work
      work.records.append(record(of: item, result))
      return next(work)
    }
  }

  /// Returns the step after some items.
  private func next(_ work: ItemWork) -> HandlerStep {
    .more(
      HandlerContinuation(isBackground: work.isBackground) { [self] in
        Self.step { () throws(ClientError) in try run(work) }
      })
  }

  /// Runs as many of the remaining items in one invocation as the model takes.
  private func processingTogether(_ work: ItemWork) -> ItemWork {
    var work = work
    let items = work.items.items.dropFirst(work.records.count).prefix(served.maxBatchSize)
    let inputs = items.map(\.input)
    let valid = inputs.compactMap { try? $0.get() }
    var outputs = (valid.isEmpty ? [] : served.run(merging: valid))[...]
    for (item, input) in zip(items, inputs) {
      let output: ModelRun.Output =
        switch input {
        case .success: outputs.removeFirst()
        case .failure(let error): .failure(error)
        }
      work.records.append(record(of: item, processed(output, work)))
    }
    return work
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
}

// MARK: Runs

extension PredictionHandler {
  /// The result of one item, and the time it took.
  private typealias Processed = (result: TaskPostprocessor.ProcessedOutput, timings: Timings)

  /// Runs the model on an input within the memory for images, and continues with the result.
  private func process(
    _ input: Result<ModelInput, ModelError>, _ work: ItemWork,
    _ next: @escaping @Sendable (Result<Processed, ClientError>) -> HandlerStep
  ) -> HandlerStep {
    let value: ModelInput
    do throws(ModelError) {
      value = try input.get()
    } catch {
      return next(processed(.failure(error), work))
    }
    return limits.reservingMemory(
      for: model.decodingCost(of: value), isBackground: work.isBackground,
      until: work.context.deadline
    ) { reservation in
      switch reservation {
      case .failure(let error): next(.failure(error))
      case .success(let reservation):
        .run(
          ModelRun(served, value) { output in
            withExtendedLifetime(reservation) { next(processed(output, work)) }
          })
      }
    }
  }

  /// Returns the task's result of an output, and counts it.
  private func processed(
    _ output: ModelRun.Output, _ work: ItemWork
  ) -> Result<Processed, ClientError> {
    do throws(ModelError) {
      let (output, timings) = try output.get()
      let result = try served.counting(timings) { () throws(ModelError) in
        try postprocessor.process(output)
      }
      metrics.recordRun(of: served.name, timings)
      work.context.recordRun(of: served, timings)
      do throws(ClientError) {
        try work.context.memory.grow(by: result.output.maxResultByteCount)
      } catch {
        return .failure(error)
      }
      return .success((result, timings))
    } catch {
      metrics.recordError(of: served.name)
      return .failure(ClientError(error))
    }
  }
}

// MARK: Records

extension PredictionHandler {
  /// Returns the record of one of several items, which holds the error if the item failed.
  private func record(
    of item: PredictionItem, _ result: Result<Processed, ClientError>
  ) -> RunRecord {
    do throws(ClientError) {
      return record(item.name, .success(try success(result.get())))
    } catch {
      return record(item.name, .failure(.input(error.code, error.message)))
    }
  }

  private func record(
    _ name: String, _ result: Result<RunRecord.Success, OperationError>
  ) -> RunRecord {
    RunRecord(model: RunRecord.ModelIdentity(model.bundle), input: name, result: result)
  }

  private func success(_ item: Processed) throws(ClientError) -> RunRecord.Success {
    var success = RunRecord.Success(item.result, item.timings)
    if options.includesDisplay { success.overlay = item.result.overlay(labels: labels) }
    for layer in item.result.output.layers {
      guard let image = layer.value.image else { continue }
      success.images[layer.name] = .png(try Self.png(image))
    }
    return success
  }
}

// MARK: Annotated images

extension PredictionHandler {
  /// Responds with the only item's image, at a limited size, with the result drawn on it.
  private func annotatedImage(for work: ItemWork) throws(ClientError) -> HandlerStep {
    guard !work.items.isBatch, let item = work.items.items.first else {
      throw ClientError(
        .badRequest, "single-item-required", "?annotate=1 requires a request with a single item")
    }
    let input = item.input
    return process(input, work) { result in
      Self.step { () throws(ClientError) in
        annotatedImage(of: input, try result.get().result, work)
      }
    }
  }

  private func annotatedImage(
    of input: Result<ModelInput, ModelError>, _ result: TaskPostprocessor.ProcessedOutput,
    _ work: ItemWork
  ) -> HandlerStep {
    let maxSide = limits.maxAnnotatedSide
    let cost = (try? input.get())?.annotationCost(of: model.callerInputs, maxSide: maxSide)
    return limits.reservingMemory(
      for: cost ?? .none, isBackground: work.isBackground, until: work.context.deadline
    ) { reservation in
      Self.step { () throws(ClientError) in
        let reservation = try reservation.get()
        defer { withExtendedLifetime(reservation) {} }
        let image = (try? input.get())?.firstImage(of: model.callerInputs, maxSide: maxSide)
        guard let image else {
          throw ClientError(
            .badRequest, "no-image-input", "?annotate=1 requires a model that takes an image")
        }
        return .response(
          HTTPResponse(type: "image/png", body: try Self.png(rendered(result, on: image))))
      }
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
    case "score_above": resultOptions.scoreAbove = try Self.number(item)
    case "min_score": resultOptions.minimumScore = try Self.number(item)
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
