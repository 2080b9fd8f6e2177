import TensorIOBundle
import TensorIOJSON

/// Runs a model on a body in any of the forms that SageMaker, MLflow, Vertex AI and Azure ML send.
struct InvocationHandler: Sendable {
  private let service: InferenceService

  init(_ service: InferenceService) { self.service = service }

  /// Returns the response to a request.
  func response(to request: HTTPRequest, _ model: ModelSelector) async throws(ClientError)
    -> HTTPResponse
  {
    let type = request.headers["Content-Type"].flatMap { MediaType($0) }
    if let length = try headerLength(of: request) {
      let name = type?.name ?? ""
      return try await openInference(
        request, model, headerLength: length, type: Self.isBinaryJSON(name) ? name : nil)
    }
    switch type?.name {
    case "text/csv":
      let table = try InferenceTable(csv: request.body, request.context)
      return try await predict(model, request) { (metadata) throws(ClientError) in
        (try table.request(model, metadata), .rows)
      }
    case "application/octet-stream":
      return try await infer(InferenceRequest(model, raw: request.body), request)
    case let name? where name.hasPrefix("image/") || name.hasPrefix("audio/"):
      return try await infer(InferenceRequest(model, raw: request.body), request)
    case nil, "application/json", "application/x-www-form-urlencoded":
      if type?.name == "application/json" { try Self.checkCharset(type) }
      return try await json(request, model)
    default:
      throw ClientError(
        .unsupportedMediaType, "unsupported-media-type",
        "This predictor only supports the following content types: application/json, text/csv, "
          + "application/octet-stream, image/*, audio/*. Got '\(type?.name ?? "")'.")
    }
  }

  private static func checkCharset(_ type: MediaType?) throws(ClientError) {
    guard let charset = type?.parameters["charset"]?.lowercased() else { return }
    guard ["utf-8", "utf8"].contains(charset) else {
      throw ClientError(
        .unsupportedMediaType, "unsupported-media-type", "the charset must be utf-8")
    }
  }
}

// MARK: JSON

extension InvocationHandler {
  private func json(
    _ request: HTTPRequest, _ model: ModelSelector
  ) async throws(ClientError) -> HTTPResponse {
    // The elements of large tensors are not parsed to distinguish the protocols.
    let (skeleton, _) = try InferenceJSONSplitter.split(
      request.body, end: request.body.count, request.context, readsElements: false)
    let root = try StandardRoute.object(skeleton, request.context)
    if root.isOpenInferenceRequest {
      return try await openInference(request, model, headerLength: nil)
    }
    let keys = ["dataframe_split", "dataframe_records", "instances", "inputs"]
    let found = keys.filter { root[$0] != nil }
    guard found.count == 1 else {
      throw Self.invalid(
        "The input must be a JSON dictionary with exactly one of the input fields "
          + "\(keys.joined(separator: ", ")). Received fields: "
          + (root.members?.map(\.name).joined(separator: ", ") ?? ""))
    }
    guard root["signature_name"] == nil || found == ["instances"] else {
      throw Self.invalid("'signature_name' parameter is currently not supported")
    }
    let original = try StandardRoute.object(request.body, request.context)
    return try await predict(model, request) { (metadata) throws(ClientError) in
      if let split = original["dataframe_split"] {
        return (try InferenceTable(split: split, request.context).request(model, metadata), .rows)
      }
      if let records = original["dataframe_records"] {
        return (
          try InferenceTable(records: records, request.context).request(model, metadata), .rows
        )
      }
      let (request, layout) = try PredictRequestReader(model, metadata).request(original)
      return (request, layout)
    }
  }

  private static func invalid(_ message: String) -> ClientError {
    ClientError(.badRequest, "invalid-request", message)
  }

  private func predict(
    _ model: ModelSelector, _ request: HTTPRequest,
    _ read: (InferenceModelMetadata) throws(ClientError) -> (
      InferenceRequest, PredictRequestReader.Layout
    )
  ) async throws(ClientError) -> HTTPResponse {
    let (response, layout) = try await service.predict(model, request.context, read)
    let outputs = response.outputs
    return HTTPResponse(
      type: "application/json",
      body: PredictResponseWriter(outputs, request.context).object(
        "predictions", predictions(outputs, layout, request.context)))
  }

  private func predictions(
    _ outputs: [InferenceTensor], _ layout: PredictRequestReader.Layout,
    _ context: RequestContext
  ) -> [UInt8] {
    let writer = PredictResponseWriter(outputs, context)
    return layout == .rows ? writer.rows : writer.columns
  }
}

extension JSONNode {
  /// Whether an object is a request of the Open Inference Protocol: its inputs have names and shapes.
  fileprivate var isOpenInferenceRequest: Bool {
    guard let first = self["inputs"]?.elements.flatMap({ $0.first { _ in true } }) else {
      return false
    }
    return first["name"] != nil && first["shape"] != nil && first["datatype"] != nil
  }
}

// MARK: Open Inference Protocol

extension InvocationHandler {
  private static let binaryTypes = [
    "application/vnd.sagemaker-triton.binary+json", "application/vnd.vertex-ai-triton.binary+json",
  ]

  private static func isBinaryJSON(_ name: String) -> Bool { binaryTypes.contains(name) }

  /// Returns the number of bytes of JSON before binary tensors, which the type of the body or a header
  /// announces; `nil` if there is neither.
  func headerLength(of request: HTTPRequest) throws(ClientError) -> Int? {
    let type = request.headers["Content-Type"].flatMap { MediaType($0) }
    guard let type, Self.isBinaryJSON(type.name) else { return try request.inferenceHeaderLength }
    let text = type.parameters["json-header-size"] ?? ""
    guard let length = Int(text), length > 0, length <= Int(Int32.max) else {
      throw Self.invalid("json-header-size must be a positive integer, got '\(text)'")
    }
    return length
  }

  private func openInference(
    _ request: HTTPRequest, _ model: ModelSelector, headerLength: Int?, type: String? = nil
  ) async throws(ClientError) -> HTTPResponse {
    if let headerLength, headerLength > request.body.count {
      throw Self.invalid(
        "json-header-size is \(headerLength), but the body has \(request.body.count) bytes")
    }
    let inference = try OpenInferenceRequestReader(
      request.body, headerLength: headerLength, model: model, request.context
    ).request()
    return try await infer(inference, request, type: type)
  }

  /// Runs a request; the response has the form of the Open Inference Protocol.
  private func infer(
    _ inference: InferenceRequest, _ request: HTTPRequest, type: String? = nil
  ) async throws(ClientError) -> HTTPResponse {
    var described = inference
    // The response to a raw body is JSON, unless the client asks for binary tensors.
    described.isRaw = false
    let writer = OpenInferenceResponseWriter(described, request.context)
    let body = try writer.body(
      of: await service.infer(inference, request.context, as: writer.format))
    guard let binary = body.binary else {
      return HTTPResponse(type: "application/json", body: body.header)
    }
    // Clients of SageMaker read the type, and those of Vertex AI the header.
    var response = HTTPResponse(
      type: "\(type ?? Self.binaryTypes[0]);json-header-size=\(body.header.count)",
      body: body.header + binary)
    response.headers[OpenInferenceResponseWriter.headerLengthName] = String(body.header.count)
    return response
  }
}
