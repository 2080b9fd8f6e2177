import TensorIOCore

// The methods whose inputs are `tf.Example` messages.
extension TensorFlowServingGRPC {
  private typealias Method = TensorFlowClassification.Method

  /// Handles `Classify` and `Regress`.
  func examples(
    _ request: GRPCRequest, _ method: TensorFlowClassification.Method
  ) async throws(ClientError) -> HTTPResponse {
    let type = method == .classify ? "ClassificationRequest" : "RegressionRequest"
    let message = ProtobufMessage(request.message)
    let selector = try service.servable(Self.selector(message, type))
    let examples = try TensorFlowExamples(message, in: type, request.context)
    return try await run(examples, selector, [method], request.context) { results, version in
      var writer = ProtobufWriter()
      for result in results { writer.message(1) { result.write(to: &$0) } }
      writer.message(2) { Self.write(selector.name, version: version, to: &$0) }
      return writer.bytes
    }
  }

  /// Handles `MultiInference`, whose tasks share one run of the model.
  func multipleInference(_ request: GRPCRequest) async throws(ClientError) -> HTTPResponse {
    let type = "MultiInferenceRequest"
    let message = ProtobufMessage(request.message)
    let tasks = try Self.tasks(message, in: type)
    guard let first = tasks.first else {
      throw ClientError(.badRequest, "invalid-request", "the request has no tasks")
    }
    guard tasks.allSatisfy({ $0.selector == first.selector }) else {
      throw ClientError(
        .badRequest, "invalid-request",
        "All ModelSpecs in a MultiInferenceRequest must access the same model name.")
    }
    let methods = tasks.map(\.method)
    guard Set(methods).count == methods.count else {
      throw ClientError(
        .badRequest, "invalid-request", "Duplicate evaluation of signature: serving_default")
    }
    let selector = try service.servable(first.selector)
    let examples = try TensorFlowExamples(message, in: type, request.context)
    return try await run(examples, selector, methods, request.context) { results, version in
      var writer = ProtobufWriter()
      for (method, result) in zip(methods, results) {
        writer.message(1) { writer in
          writer.message(1) { Self.write(selector.name, version: version, to: &$0) }
          writer.message(method == .classify ? 2 : 3) { result.write(to: &$0) }
        }
      }
      return writer.bytes
    }
  }

  /// Runs a model on examples.
  ///
  /// - Parameters:
  ///   - examples: The examples.
  ///   - selector: The model.
  ///   - methods: What to return for each example.
  ///   - context: The state of the client's request.
  ///   - message: Returns the response from the results of the methods and the number of the
  ///     model's version.
  /// - Returns: The response.
  /// - Throws: A ``ClientError`` if the examples do not fit the model, or the run fails.
  private func run(
    _ examples: TensorFlowExamples, _ selector: ModelSelector, _ methods: [Method],
    _ context: RequestContext, _ message: ([TensorFlowClassification], String) -> [UInt8]
  ) async throws(ClientError) -> HTTPResponse {
    let (response, _) = try await service.predict(selector, context) {
      (metadata) throws(ClientError) in
      (try examples.request(selector, metadata), .rows)
    }
    let labels = service.labels(of: selector)
    let results = try methods.map { (method) throws(ClientError) in
      try TensorFlowClassification(method, response.outputs, labels)
    }
    let version = service.number(ofVersion: response.modelVersion, of: response.modelName)
    return .message(message(results, version))
  }

  /// Returns the tasks of a `MultiInferenceRequest`.
  private static func tasks(
    _ message: ProtobufMessage, in type: String
  ) throws(ClientError) -> [(selector: ModelSelector, method: Method)] {
    var messages: [ProtobufMessage] = []
    do throws(ProtobufError) {
      try message.forEachField { (number, value) throws(ProtobufError) in
        guard number == 1 else { return }
        guard messages.count < maxTaskCount else { throw .tooManyEntries }
        messages.append(try value.message())
      }
    } catch {
      throw ClientError(error, in: type)
    }
    var tasks: [(ModelSelector, Method)] = []
    for message in messages {
      let selector = try selector(message, "InferenceTask")
      let name = try ProtobufFields(message, of: "InferenceTask").string(2, of: "InferenceTask")
      guard let method = Method(rawValue: name) else {
        throw ClientError(
          .badRequest, "invalid-request",
          "Unsupported signature method_name: '\(name)'; expected '\(Method.classify.rawValue)' or "
            + "'\(Method.regress.rawValue)'")
      }
      tasks.append((selector, method))
    }
    return tasks
  }

  /// The maximum number of tasks of a request.
  private static let maxTaskCount = 64
}
