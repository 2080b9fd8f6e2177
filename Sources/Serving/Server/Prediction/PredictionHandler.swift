import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOJSON
import TensorIOTasks

/// Handles one prediction request, item by item.
struct PredictionHandler: Sendable {
  private let runner: RequestRunner
  private let options: PredictParameters
  private let postprocessor: TaskPostprocessor
  private let labels: LabelSelection

  private var served: ServedModel { runner.served }
  private var model: Model { served.model }
  private var context: RequestContext { runner.context }

  init(_ runner: RequestRunner, _ options: PredictParameters) {
    (self.runner, self.options) = (runner, options)
    postprocessor = runner.served.postprocessor.applying(options.resultOptions)
    labels = options.resultOptions.labelSelection(for: runner.served.model.bundle.description.task)
  }

  /// Decodes a request and runs its items.
  ///
  /// Requests with many items or large images continue in the background.
  func response(to request: HTTPRequest) async throws(ClientError) -> HTTPResponse {
    let items = try RequestBodyDecoder(model: model, options: options).items(request)
    try context.memory.grow(by: ServedModel.inputCopyCount * request.body.count)
    if items.items.count > PredictionLimits.maxForegroundItems {
      try await context.moveToBackground()
    }
    let isBackground = try await runner.begin(
      items.items.count, decoding: items.items.map { cost(of: $0) })
    if options.isAnnotated { return try await annotatedImage(of: items, isBackground) }
    guard items.isBatch else {
      let item = items.items[0]
      let record = record(item.name, .success(try success(await process(item, isBackground))))
      return .json { record.write(to: &$0, labels: labels) }
    }
    let records = try await records(of: items.items, isBackground)
    return .json { writer in
      writer.array { writer in
        for record in records { record.write(to: &writer, labels: labels) }
      }
    }
  }

  /// Returns the records of several items.
  private func records(
    of items: [PredictionItem], _ isBackground: Bool
  ) async throws(ClientError) -> [RunRecord] {
    var records: [RunRecord] = []
    let isMergeable = served.maxBatchSize > 1 && !model.callerInputs.contains(where: \.isImage)
    while records.count < items.count {
      if !records.isEmpty { try await context.yield() }
      if isMergeable {
        records += processTogether(items.dropFirst(records.count).prefix(served.maxBatchSize))
      } else {
        let item = items[records.count]
        do throws(ClientError) {
          records.append(record(of: item, .success(try await process(item, isBackground))))
        } catch {
          records.append(record(of: item, .failure(error)))
        }
        try context.checkCancellation()
      }
    }
    return records
  }

  /// Runs items in one invocation.
  private func processTogether(_ items: ArraySlice<PredictionItem>) -> [RunRecord] {
    let inputs = items.map(\.input)
    let valid = inputs.compactMap { try? $0.get() }
    var outputs = (valid.isEmpty ? [] : served.run(merging: valid))[...]
    return zip(items, inputs).map { item, input in
      let output: ServedModel.Output =
        switch input {
        case .success: outputs.removeFirst()
        case .failure(let error): .failure(error)
        }
      return record(of: item, Result { () throws(ClientError) in try processed(output) })
    }
  }
}

// MARK: Runs

extension PredictionHandler {
  /// The result of one item, and the time it took.
  private typealias Processed = (result: TaskPostprocessor.ProcessedOutput, timings: Timings)

  /// Returns the cost of decoding the images of an item; none for an item that is invalid.
  private func cost(of item: PredictionItem) -> ImageDecodingCost {
    (try? item.input.get()).map { model.decodingCost(of: $0) } ?? .none
  }

  /// Runs the model on an item within the memory for images.
  private func process(
    _ item: PredictionItem, _ isBackground: Bool
  ) async throws(ClientError) -> Processed {
    let input: ModelInput
    do throws(ModelError) {
      input = try item.input.get()
    } catch {
      return try processed(.failure(error))
    }
    return try processed(
      await runner.run(input, decoding: cost(of: item), isBackground: isBackground))
  }

  /// Returns the task's result of an output, and counts it.
  private func processed(_ output: ServedModel.Output) throws(ClientError) -> Processed {
    let processed: Processed
    do throws(ModelError) {
      let (output, timings) = try output.get()
      let result = try served.counting(timings) { () throws(ModelError) in
        try postprocessor.process(output)
      }
      runner.metrics.recordRun(of: served.name, timings)
      context.recordRun(of: served, timings)
      processed = (result, timings)
    } catch {
      runner.metrics.recordError(of: served.name)
      throw ClientError(error)
    }
    try context.memory.grow(by: processed.result.output.maxResultByteCount)
    return processed
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
  private func annotatedImage(
    of items: PredictionItems, _ isBackground: Bool
  ) async throws(ClientError) -> HTTPResponse {
    guard !items.isBatch, let item = items.items.first else {
      throw ClientError(
        .badRequest, "single-item-required", "?annotate=1 requires a request with a single item")
    }
    let result = try await process(item, isBackground).result
    let maxSide = runner.limits.maxAnnotatedSide
    let input = try? item.input.get()
    let cost = input?.annotationCost(of: model.callerInputs, maxSide: maxSide) ?? .none
    let reservation = try await runner.limits.reserve(
      cost, isBackground: isBackground, for: context)
    defer { withExtendedLifetime(reservation) {} }
    guard let image = input?.firstImage(of: model.callerInputs, maxSide: maxSide) else {
      throw ClientError(
        .badRequest, "no-image-input", "?annotate=1 requires a model that takes an image")
    }
    return HTTPResponse(type: "image/png", body: try Self.png(rendered(result, on: image)))
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
