import TensorIOBundle
import TensorIOJSON

/// The routes of the Open Inference Protocol over REST, with the extensions of Triton.
struct OpenInferenceRoutes: ServingProtocol {
  let service: InferenceService
  let route = StandardRoute()

  init(_ host: ServingHost) { service = host.service }

  var grpcServices: [GRPCService] { [OpenInferenceGRPC(service: service).grpcService] }

  var routes: [Route] {
    // The first route that matches wins: `stats` is not the name of a model here.
    [definition(.get, "/v2", serverMetadata), definition(.get, "/v2/models/stats", statistics)]
      + versioned("") { .init(.get, $0, modelMetadata) } + versioned("/ready", readinessRoute)
      + versioned("/infer", inferenceRoute)
      + versioned("/config") { .init(.get, $0, configuration) }
      + versioned("/stats") { .init(.get, $0, statistics) }
      + repositoryRoutes + settingsRoutes + sharedMemoryRoutes
  }
}

// MARK: Routes

extension OpenInferenceRoutes {
  typealias Handler = @Sendable (HTTPRequest) async throws(ClientError) -> HTTPResponse

  struct Definition {
    let method: HTTPMethod
    let path: String
    let handler: Handler

    init(_ method: HTTPMethod, _ path: String, _ handler: @escaping Handler) {
      (self.method, self.path, self.handler) = (method, path, handler)
    }
  }

  /// Creates a route that does not run models.
  func definition(_ method: HTTPMethod, _ path: String, _ handler: @escaping Handler) -> Route {
    route(method, path, .control, handler)
  }

  /// Returns the routes of a path with and without a version.
  private func versioned(_ suffix: String, _ make: (String) -> Definition) -> [Route] {
    ["/v2/models/:name", "/v2/models/:name/versions/:version"].map { prefix in
      let definition = make(prefix + suffix)
      return self.definition(definition.method, definition.path, definition.handler)
    }
  }

  private func versioned(_ suffix: String, _ make: (String) -> Route) -> [Route] {
    ["/v2/models/:name", "/v2/models/:name/versions/:version"].map { make($0 + suffix) }
  }

  private func inferenceRoute(_ path: String) -> Route {
    var route = route(.post, path, compressesResponse: true, infer)
    route.admission = { [service] request in
      service.rejection(request.modelSelector)?.response
    }
    return route
  }
}

// MARK: Inference

extension OpenInferenceRoutes {
  private func infer(_ request: HTTPRequest) async throws(ClientError) -> HTTPResponse {
    let headerLength = try request.inferenceHeaderLength ?? (request.body.isEmpty ? 0 : nil)
    let inference = try OpenInferenceRequestReader(
      request.body, headerLength: headerLength, model: request.modelSelector, request.context
    ).request()
    let writer = OpenInferenceResponseWriter(inference, request.context)
    return writer.response(
      try await service.infer(inference, request.context, as: writer.format))
  }
}

extension HTTPRequest {
  /// The number of bytes of JSON before binary tensors; `nil` if the client does not announce any.
  ///
  /// - Throws: A ``ClientError`` if the body is shorter.
  var inferenceHeaderLength: Int? {
    get throws(ClientError) {
      guard let text = headers[OpenInferenceResponseWriter.headerLengthName] else { return nil }
      guard let length = Int(text), (0...body.count).contains(length) else {
        throw ClientError(
          .badRequest, "invalid-request",
          "inference header size should be in range (0, \(body.count)), got: \(text)")
      }
      return length
    }
  }
}

// MARK: Metadata

extension OpenInferenceRoutes {
  private func serverMetadata(_ request: HTTPRequest) -> HTTPResponse {
    .jsonObject { writer in
      writer.member("name", InferenceService.name)
      writer.member("version", service.version)
      writer.strings("extensions", InferenceService.extensions + ["predict", "metrics"])
    }
  }

  private func modelMetadata(_ request: HTTPRequest) async throws(ClientError) -> HTTPResponse {
    let metadata = try await service.modelMetadata(request.modelSelector)
    return .json { $0.object { metadata.write(to: &$0) } }
  }

  private func readinessRoute(_ path: String) -> Route {
    Route(.get, path, .inline) { [service] request in
      let selector = request.modelSelector
      do throws(ClientError) {
        if let error = try service.unavailability(of: selector) { return error.response }
      } catch {
        return .error(.badRequest, "model-not-ready", "Model version not ready")
      }
      return .jsonObject { writer in
        writer.member("name", selector.name)
        writer.member("ready", true)
      }
    }
  }

  private func configuration(_ request: HTTPRequest) async throws(ClientError) -> HTTPResponse {
    let metadata = try await service.modelMetadata(request.modelSelector)
    return .jsonObject { writer in
      metadata.writeConfiguration(service.catalog.settings(of: metadata.name), to: &writer)
    }
  }

  private func statistics(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let isModel = request.pathParameters[Route.modelParameter] != nil
    let entries: [InferenceService.ModelStatisticsEntry]
    do throws(ClientError) {
      entries = try service.statistics(isModel ? request.modelSelector : nil)
    } catch {
      throw ClientError(
        .badRequest, error.code,
        "requested model '\(request.modelSelector.name)' is not available")
    }
    return .jsonObject { writer in
      writer.member("model_stats", objects: entries) { $1.write(to: &$0) }
    }
  }
}

// MARK: Repository

extension OpenInferenceRoutes {
  private var repositoryRoutes: [Route] {
    [
      definition(.post, "/v2/repository/index", repositoryIndex),
      definition(.post, "/v2/repository/models/:name/load", load),
      definition(.post, "/v2/repository/models/:name/unload", unload),
    ]
  }

  private func repositoryIndex(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let onlyReady = try Self.object(request)?["ready"]?.bool == true
    let entries = service.repositoryIndex(onlyReady: onlyReady)
    return .json { writer in
      writer.array { writer in
        for entry in entries { writer.object { entry.write(to: &$0) } }
      }
    }
  }

  private func load(_ request: HTTPRequest) async throws(ClientError) -> HTTPResponse {
    try service.requireAdministrator(request.context)
    let parameters = try Self.object(request)?["parameters"]
    for member in parameters?.members.map(Array.init) ?? [] {
      guard member.name == "config" else {
        throw ClientError(
          .badRequest, "invalid-request",
          "unrecognized load parameter '\(member.name)'; only 'config' is supported")
      }
      guard member.value.string != nil else {
        throw ClientError(
          .badRequest, "invalid-request", "load parameter 'config' must be a string of JSON")
      }
    }
    let name = request.modelSelector.name
    try await service.load(name, override: parameters?["config"]?.string)
    return Self.done(name, "load")
  }

  private func unload(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    try service.requireAdministrator(request.context)
    _ = try Self.object(request)
    let name = request.modelSelector.name
    try service.unload(name)
    return Self.done(name, "unload")
  }

  private static func done(_ name: String, _ action: String) -> HTTPResponse {
    .jsonObject { writer in
      writer.member("name", name)
      writer.member(action, true)
    }
  }

  /// Returns the object in a body; `nil` for an empty body.
  static func object(_ request: HTTPRequest) throws(ClientError) -> JSONNode? {
    if request.body.isEmpty { return nil }
    let root = try request.context.json(
      request.body, limit: HTTPLimits.maxJSONBodyBytes,
      invalid: "failed to parse the request JSON buffer"
    ).root
    guard root.kind == .object else {
      throw ClientError(.badRequest, "invalid-request", "the body must be a JSON object")
    }
    return root
  }
}

// MARK: Shared memory

extension OpenInferenceRoutes {
  private var sharedMemoryRoutes: [Route] {
    ["/v2/systemsharedmemory", "/v2/cudasharedmemory"].flatMap { root in
      [
        (.get, "/status"), (.get, "/region/:region/status"), (.post, "/region/:region/register"),
        (.post, "/region/:region/unregister"), (.post, "/unregister"),
      ].map { (method: HTTPMethod, path) in
        Route(method, root + path, .inline) { _ in ClientError.sharedMemory.response }
      }
    }
  }
}
