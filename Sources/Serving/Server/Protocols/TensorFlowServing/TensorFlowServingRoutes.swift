import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// The routes of TensorFlow Serving over REST, and those of version 1 of KServe's protocol, which
/// has the same paths.
struct TensorFlowServingRoutes: ServingProtocol {
  private let service: InferenceService
  private let route = StandardRoute()

  init(_ host: ServingHost) { service = host.service }

  var grpcServices: [GRPCService] { TensorFlowServingGRPC(service: service).grpcServices }

  var routes: [Route] {
    let models = [
      "/v1/models/:name", "/v1/models/:name/versions/:version", "/v1/models/:name/labels/:label",
    ]
    // TensorFlow Serving has no list, so its errors are those for clients of OpenAI's interface.
    var list = Route(.get, "/v1/models", .control) { _ in modelList }
    list.errorForm = OpenAIErrors.response
    return [list]
      + models.flatMap { model in
        [
          route(.get, model + "/metadata", .control, metadata),
          route(.post, model + ":predict", compressesResponse: true) {
            (request) async throws(ClientError) in try await predict(request)
          },
          route(.post, model + ":classify") { (request) async throws(ClientError) in
            try await examples(request, .classify)
          },
          route(.post, model + ":regress") { (request) async throws(ClientError) in
            try await examples(request, .regress)
          },
          route(.post, model + ":explain") { (_) throws(ClientError) in
            throw ClientError(
              .notImplemented, "not-implemented", "the models have no explanations")
          },
          route(.get, model, .control, status),
        ]
      }
  }

  /// Returns the model that a path selects.
  ///
  /// - Throws: A ``ClientError`` with the text of TensorFlow Serving if there is none.
  private func selector(_ request: HTTPRequest) throws(ClientError) -> ModelSelector {
    var selector = request.modelSelector
    selector.label = request.pathParameters["label"]
    return try service.servable(selector)
  }
}

extension InferenceService {
  /// Returns the version of a model that a client of TensorFlow Serving means.
  ///
  /// - Throws: A ``ClientError`` with the text of TensorFlow Serving if there is none.
  func servable(_ selector: ModelSelector) throws(ClientError) -> ModelSelector {
    var selector = selector
    // The client of OpenVINO Model Server sends 0 for the latest version.
    if selector.version == "0", (try? resolve(selector)) == nil { selector.version = nil }
    do throws(ClientError) {
      return try resolve(selector)
    } catch {
      let version = selector.version ?? selector.label
      let servable =
        version.map { "Specific(\(selector.name), \($0))" } ?? "Latest(\(selector.name))"
      throw ClientError(
        error.status, error.code, "Servable not found for request: \(servable)")
    }
  }

  /// Returns the labels of the outputs of an open model, by name.
  func labels(of selector: ModelSelector) -> [String: [String]] {
    (try? catalog.status(of: selector))?.model?.signature.labels ?? [:]
  }
}

// MARK: Predict

extension TensorFlowServingRoutes {
  private func predict(_ request: HTTPRequest) async throws(ClientError) -> HTTPResponse {
    let selector = try selector(request)
    let root = try StandardRoute.object(request.body, request.context)
    try Self.checkSignature(root)
    let (response, layout) = try await service.predict(selector, request.context) {
      (metadata) throws(ClientError) in
      try PredictRequestReader(selector, metadata).request(root)
    }
    return HTTPResponse(
      type: "application/json",
      body: PredictResponseWriter(response.outputs, request.context).body(layout))
  }

  private static func checkSignature(_ root: JSONNode) throws(ClientError) {
    guard let node = root["signature_name"] else { return }
    guard let name = node.string, InferenceModelMetadata.servingSignatures.contains(name) else {
      throw ClientError(
        .badRequest, "invalid-request",
        "Serving signature name: \(node.source) not found in signature def")
    }
  }

  private func examples(
    _ request: HTTPRequest, _ method: TensorFlowClassification.Method
  ) async throws(ClientError) -> HTTPResponse {
    let selector = try selector(request)
    let root = try StandardRoute.object(request.body, request.context)
    try Self.checkSignature(root)
    let (response, _) = try await service.predict(selector, request.context) {
      (metadata) throws(ClientError) in
      let table = try InferenceTable(
        examples: root["examples"], shared: root["context"], request.context)
      return (try table.request(selector, metadata), .rows)
    }
    let results = try TensorFlowClassification(
      method, response.outputs, service.labels(of: selector))
    return HTTPResponse(
      type: "application/json",
      body: PredictResponseWriter([], request.context).object("results", results.json))
  }
}

// MARK: Status and metadata

extension TensorFlowServingRoutes {
  private var modelList: HTTPResponse {
    var names: [String] = []
    for entry in service.catalog.entries where !names.contains(entry.name) {
      names.append(entry.name)
    }
    // Clients of OpenAI's interface read the rest.
    return .jsonObject { writer in
      writer.strings("models", names)
      writer.member("object", "list")
      writer.member("data", objects: names) { writeIdentity(of: $1, to: &$0) }
    }
  }

  /// Writes what clients of OpenAI's interface read of a model.
  private func writeIdentity(of name: String, to writer: inout JSONWriter) {
    let path = (try? service.catalog.entry(named: name))?.path
    let changed = path.flatMap { FileStamp($0 + "/model.json") ?? FileStamp($0) }?.modificationTime
    writer.member("id", name)
    writer.member("object", "model")
    writer.member("created", (changed ?? 0) / 1_000_000_000)
    writer.member("owned_by", InferenceService.name)
  }

  /// The status of the versions of a model; KServe reads `ready` and TensorFlow Serving the rest.
  private func status(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let selector = try selector(request)
    let isReady = (try? service.isReady(selector)) == true
    return .jsonObject { writer in
      writer.member("name", selector.name)
      writer.member("ready", isReady)
      writeIdentity(of: selector.name, to: &writer)
      service.writeVersionStatuses(of: selector, to: &writer)
    }
  }

  private func metadata(_ request: HTTPRequest) async throws(ClientError) -> HTTPResponse {
    let metadata = try await service.modelMetadata(selector(request))
    return .jsonObject { writer in
      metadata.writeSignature(
        version: service.number(ofVersion: metadata.version, of: metadata.name), to: &writer)
    }
  }
}

extension InferenceModelMetadata {
  /// Writes the metadata as TensorFlow Serving does.
  func writeSignature(version: String, to writer: inout JSONWriter) {
    writer.member("model_spec") { writer in
      writer.member("name", name)
      writer.member("signature_name", "")
      writer.member("version", version)
    }
    writer.member("metadata") { writer in
      writer.member("signature_def") { writer in
        writer.member("signature_def") { writer in
          writer.member(Self.servingSignature, object: { writeDefaultSignature(to: &$0) })
        }
      }
    }
  }

  private func writeDefaultSignature(to writer: inout JSONWriter) {
    for (key, tensors) in [("inputs", inputs), ("outputs", outputs)] {
      writer.member(key) { writer in
        for tensor in tensors {
          writer.member(tensor.name, object: { tensor.writeTensorInfo(to: &$0) })
        }
      }
    }
    writer.member("method_name", Self.servingMethod)
  }

  /// The only signature that a model has for clients of TensorFlow Serving, and its method.
  static let servingSignature = "serving_default"
  static let servingMethod = "tensorflow/serving/predict"
  /// The names by which clients select the signature.
  static let servingSignatures = ["", servingSignature, "predict"]
}

extension InferenceModelMetadata.TensorMetadata {
  /// The name of the tensor in a graph of TensorFlow.
  var servingName: String { name + ":0" }

  fileprivate func writeTensorInfo(to writer: inout JSONWriter) {
    writer.member("dtype", datatype.tensorFlowName)
    writer.member("tensor_shape") { writer in
      writer.member("dim", objects: shape) { writer, length in
        writer.member("size", String(length))
        writer.member("name", "")
      }
      writer.member("unknown_rank", false)
    }
    writer.member("name", servingName)
  }
}

extension InferenceService {
  /// Writes the status of the versions of a model as TensorFlow Serving does.
  func writeVersionStatuses(of selector: ModelSelector, to writer: inout JSONWriter) {
    let isSpecific = selector.version != nil || selector.label != nil
    var versions = catalog.servedStatuses(of: selector.name)
    if isSpecific, let status = try? catalog.status(of: selector) {
      versions = versions.filter { $0.entry.version == status.entry.version }
    }
    writer.member("model_version_status", objects: versions) { write($1, to: &$0) }
  }

  private func write(_ status: ModelStatus, to writer: inout JSONWriter) {
    let (state, code, message): (String, String, String) =
      switch status.state {
      case .ready, .unloaded: ("AVAILABLE", "OK", "")
      case .loading: ("LOADING", "OK", "")
      case .failed(let error): ("END", "UNKNOWN", ClientError(error).message)
      }
    writer.member("version", number(ofVersion: status.entry.version, of: status.entry.name))
    writer.member("state", state)
    writer.member("status") { writer in
      writer.member("error_code", code)
      writer.member("error_message", message)
    }
  }
}
