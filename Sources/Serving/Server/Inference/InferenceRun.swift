import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// Runs a model for one inference request, item by item.
struct InferenceRun: Sendable {
  private let request: InferenceRequest
  private let runner: RequestRunner
  private let inputs: InferenceInputs
  private let format: InferenceResponse.Format

  private var served: ServedModel { runner.served }
  private var context: RequestContext { runner.context }

  /// The copies of outputs: as the worker process returned them, as tensors, and joined.
  private static let outputCopyCount = 3

  /// Checks a request.
  ///
  /// - Throws: A ``ClientError`` if inputs do not fit the model.
  init(
    _ request: InferenceRequest, _ runner: RequestRunner, _ format: InferenceResponse.Format
  ) throws(ClientError) {
    let request = request.isRaw ? try request.resolved(for: runner.served) : request
    (self.request, self.runner, self.format) = (request, runner, format)
    inputs = try InferenceInputs(
      request, runner.served.signature, maxItemCount: runner.served.maxItemCount, runner.context)
    try runner.context.memory.grow(by: ServedModel.inputCopyCount * inputs.memoryByteCount)
  }

  /// Runs the items.
  ///
  /// - Throws: A ``ClientError`` if outputs do not fit the model, or an item fails.
  func response() async throws(ClientError) -> InferenceResponse {
    var outputs = try InferenceOutputs(
      request, served, itemCount: inputs.itemCount, hasFiles: inputs.hasFiles)
    let isBackground = try await runner.begin(inputs.itemCount, decoding: costs())
    let isMergeable = inputs.itemCount > 1 && served.maxBatchSize > 1 && !inputs.hasFiles
    while outputs.count < inputs.itemCount {
      if outputs.count > 0 { try await context.yield() }
      if isMergeable {
        try runTogether(&outputs)
      } else {
        let input = try inputs.input(outputs.count)
        let output = try await runner.run(
          input, decoding: inputs.hasFiles ? served.model.decodingCost(of: input) : .none,
          isBackground: isBackground)
        try add([output], to: &outputs)
      }
    }
    let tensors = try outputs.tensors()
    try context.memory.grow(by: format.maxByteCount(of: tensors))
    return InferenceResponse(
      modelName: served.name, modelVersion: served.version, id: request.id, outputs: tensors)
  }

  /// Returns the costs of decoding the images of each item.
  private func costs() throws(ClientError) -> [ImageDecodingCost] {
    guard inputs.hasFiles else { return [] }
    return try (0..<inputs.itemCount).map { (index) throws(ClientError) in
      served.model.decodingCost(of: try inputs.input(index))
    }
  }

  /// Runs as many of the remaining items in one invocation as the model takes.
  private func runTogether(_ outputs: inout InferenceOutputs) throws(ClientError) {
    let end = min(inputs.itemCount, outputs.count + served.maxBatchSize)
    var items: [ModelInput] = []
    for index in outputs.count..<end { items.append(try inputs.input(index)) }
    try add(served.run(merging: items), to: &outputs)
  }

  /// Adds the outputs of items.
  private func add(
    _ results: [ServedModel.Output], to outputs: inout InferenceOutputs
  ) throws(ClientError) {
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
        runner.metrics.recordRun(of: served.name, timings)
      }
    } catch {
      runner.metrics.recordError(of: served.name)
      throw error
    }
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
