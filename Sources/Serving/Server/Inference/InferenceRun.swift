import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// Runs a model for one inference request, item by item.
struct InferenceRun: Sendable {
  /// Returns the response to a request from its result.
  typealias Completion = @Sendable (Result<InferenceResponse, ClientError>) -> HTTPResponse

  private let request: InferenceRequest
  private let served: ServedModel
  private let inputs: InferenceInputs
  private let context: RequestContext
  private let limits: PredictionLimits
  private let metrics: ServerMetrics
  private let format: InferenceResponse.Format
  private let completion: Completion

  /// The copies of outputs: as the worker process returned them, as tensors, and joined.
  private static let outputCopyCount = 3

  /// Checks a request.
  ///
  /// - Throws: A ``ClientError`` if inputs or outputs do not fit the model.
  init(
    _ request: InferenceRequest, _ served: ServedModel, _ context: RequestContext,
    _ limits: PredictionLimits, _ metrics: ServerMetrics, _ format: InferenceResponse.Format,
    _ completion: @escaping Completion
  ) throws(ClientError) {
    self.format = format
    let request = request.isRaw ? try request.resolved(for: served) : request
    (self.request, self.served, self.context) = (request, served, context)
    (self.limits, self.metrics, self.completion) = (limits, metrics, completion)
    inputs = try InferenceInputs(
      request, served.signature, maxItemCount: served.maxItemCount, context)
    try context.memory.grow(by: ModelRun.inputCopyCount * inputs.memoryByteCount)
  }

  /// Returns the first step.
  func begin() throws(ClientError) -> HandlerStep {
    let outputs = try InferenceOutputs(
      request, served, itemCount: inputs.itemCount, hasFiles: inputs.hasFiles)
    let largest = try checkPixels()
    let isBackground =
      largest > PredictionLimits.maxForegroundPixels
      || inputs.itemCount > PredictionLimits.maxForegroundItems
    guard isBackground else { return step(outputs, isBackground: false) }
    return .more(HandlerContinuation(isBackground: true) { step(outputs, isBackground: true) })
  }

  /// Runs the next items, or responds.
  private func step(_ outputs: InferenceOutputs, isBackground: Bool) -> HandlerStep {
    guard outputs.count < inputs.itemCount else { return finished(outputs) }
    do throws(ClientError) {
      let isMergeable = inputs.itemCount > 1 && served.maxBatchSize > 1 && !inputs.hasFiles
      if isMergeable { return try runTogether(outputs, isBackground: isBackground) }
      let input = try inputs.input(outputs.count)
      return limits.reservingMemory(
        for: inputs.hasFiles ? served.model.decodingCost(of: input) : .none,
        isBackground: isBackground, until: context.deadline
      ) { reservation in
        switch reservation {
        case .failure(let error): .response(completion(.failure(error)))
        case .success(let reservation):
          .run(
            ModelRun(served, input) { output in
              withExtendedLifetime(reservation) {
                next([output], outputs, isBackground: isBackground)
              }
            })
        }
      }
    } catch {
      return .response(completion(.failure(error)))
    }
  }

  /// Runs as many of the remaining items in one invocation as the model takes.
  private func runTogether(
    _ outputs: InferenceOutputs, isBackground: Bool
  ) throws(ClientError) -> HandlerStep {
    let end = min(inputs.itemCount, outputs.count + served.maxBatchSize)
    var items: [ModelInput] = []
    for index in outputs.count..<end { items.append(try inputs.input(index)) }
    return next(served.run(merging: items), outputs, isBackground: isBackground)
  }

  /// Adds the outputs of items, and continues with the others.
  private func next(
    _ results: [ModelRun.Output], _ outputs: InferenceOutputs, isBackground: Bool
  ) -> HandlerStep {
    var outputs = outputs
    // Items that ran together have the timings of their invocation.
    if case .success((_, let timings))? = results.first {
      context.recordRun(of: served, timings)
    }
    do throws(ClientError) {
      for result in results {
        let (output, timings) = try ClientError.mappingInferenceErrors { () throws(ModelError) in
          try result.get()
        }
        try served.counting(timings) { () throws(ClientError) in try outputs.append(output) }
        try context.memory.grow(
          by: Self.outputCopyCount * outputs.memoryByteCount(ofItem: outputs.count - 1))
        metrics.recordRun(of: served.name, timings)
      }
    } catch {
      metrics.recordError(of: served.name)
      return .response(completion(.failure(error)))
    }
    guard outputs.count < inputs.itemCount else { return finished(outputs) }
    let remaining = outputs
    return .more(
      HandlerContinuation(isBackground: isBackground) {
        step(remaining, isBackground: isBackground)
      })
  }

  private func finished(_ outputs: InferenceOutputs) -> HandlerStep {
    do throws(ClientError) {
      let tensors = try outputs.tensors()
      try context.memory.grow(by: format.maxByteCount(of: tensors))
      let response = InferenceResponse(
        modelName: served.name, modelVersion: served.version, id: request.id, outputs: tensors)
      return .response(completion(.success(response)))
    } catch {
      return .response(completion(.failure(error)))
    }
  }

  /// Checks the sizes of encoded images before the first one is decoded, and returns the number of
  /// pixels of the largest item.
  private func checkPixels() throws(ClientError) -> Int {
    guard inputs.hasFiles else { return 0 }
    var (total, largest) = (0, 0)
    for index in 0..<inputs.itemCount {
      let cost = served.model.decodingCost(of: try inputs.input(index))
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

extension ClientError {
  /// Runs `body`, whose errors are those of a run.
  static func mappingInferenceErrors<Value>(
    _ body: () throws(ModelError) -> Value
  ) throws(ClientError) -> Value {
    do {
      return try body()
    } catch {
      throw inferenceError(error)
    }
  }

  /// Creates the client's view of an error of a run; invalid values of the client have status 400.
  static func inferenceError(_ error: ModelError) -> ClientError {
    let clientError = ClientError(error)
    guard clientError.status == .unprocessableContent else { return clientError }
    return ClientError(.badRequest, clientError.code, clientError.message)
  }
}

// MARK: Raw requests

extension InferenceRequest {
  /// Returns a raw request with the name, datatype and shape of the model's only input.
  fileprivate func resolved(for served: ServedModel) throws(ClientError) -> InferenceRequest {
    let signature = served.signature
    guard let declaration = signature.inputs.first, signature.inputs.count == 1 else {
      throw ClientError(
        .badRequest, "invalid-input",
        "Raw request must only have 1 input (found 1) to be deduced but got "
          + "\(signature.inputs.count) inputs in '\(model.name)' model configuration")
    }
    let bytes = inputs.first?.strings?.first ?? []
    var request = self
    request.isRaw = false
    if declaration.takesFiles || declaration.datatype == .bytes {
      let shape = declaration.dimensions(isBatched: signature.isBatched).map { $0 ?? 1 }
      guard declaration.takesFiles || shape.checkedProduct == 1 else {
        throw ClientError(
          .badRequest, "invalid-input",
          "For BYTE datatype raw input '\(declaration.name)', the model must have input shape [1]")
      }
      request.inputs = [
        InferenceTensor(
          declaration.name, .bytes, shape: declaration.takesFiles ? [1] : shape, .strings([bytes]))
      ]
      if !declaration.takesFiles || declaration.datatype == .bytes || bytes.isImageFile {
        return request
      }
    }
    let shape = try rawShape(of: declaration, byteCount: bytes.count, signature.isBatched)
    request.inputs = [
      try InferenceTensor(declaration.name, declaration.datatype, shape: shape, binary: bytes[...])
    ]
    return request
  }

  /// Returns the shape of the only item, whose length determines one variable dimension.
  private func rawShape(
    of declaration: TensorDeclaration, byteCount: Int, _ isBatched: Bool
  ) throws(ClientError) -> [Int] {
    let item = (declaration.hasBatchAxis ? [1] : []) + declaration.itemShape
    let variable = item.count { $0 == nil }
    guard variable < 2 else {
      throw .invalidInput(
        declaration.name,
        "the shape of the raw input can not be deduced because there are more than one "
          + "variable-sized dimension")
    }
    let known = item.compactMap(\.self).checkedProduct ?? 0
    let count = byteCount / max(1, (declaration.datatype.byteCount ?? 1) * known)
    return item.map { $0 ?? count }
  }
}

extension [UInt8] {
  /// Whether the bytes begin as a PNG, JPEG, WebP, GIF or BMP file does.
  fileprivate var isImageFile: Bool {
    let signatures: [[UInt8]] = [
      [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("RIFF".utf8), Array("GIF8".utf8),
      Array("BM".utf8),
    ]
    return signatures.contains { starts(with: $0) }
  }
}
