import TensorIOBundle
import TensorIOJSON

/// The routes of SageMaker, MLflow, Vertex AI and Azure ML, whose requests do not name a model.
struct PlatformRoutes: ServingProtocol {
  private let service: InferenceService
  private let options: PlatformOptions
  private let isServed: Bool
  private let handler: InvocationHandler
  /// The routes to which Vertex AI can redirect.
  private let redirectTargets: Router
  private let route = StandardRoute(errors: PlatformErrors.response)

  init(_ host: ServingHost) {
    (service, options) = (host.service, host.platform ?? PlatformOptions())
    isServed = host.platform != nil
    handler = InvocationHandler(host.service)
    redirectTargets = Router(host.routes)
  }

  var routes: [Route] {
    guard isServed else { return [] }
    var health = ["/ping", "/health"]
    var predictions = ["/predict"]
    if let path = options.vertexHealthPath { health.append(path) }
    if let path = options.vertexPredictPath { predictions.append(path) }
    return health.map(healthRoute)
      + [
        Route(.get, "/version", .inline) { _ in version },
        Route(.get, "/", .inline) { _ in .json { $0.object { $0.member("status", "alive") } } },
      ]
      + ["/invocations", "/score"].map { invocationRoute($0, redirects: false) }
      + predictions.map { invocationRoute($0, redirects: true) }
      + modelRoutes
  }

  private var version: HTTPResponse {
    HTTPResponse(type: "text/plain; charset=utf-8", body: Array("\(service.version)\n".utf8))
  }

  /// Returns a route that tells whether the server can be used; it needs no token.
  ///
  /// If the platform adds models, the server can be used without them.
  private func healthRoute(_ path: String) -> Route {
    var route = Route(.get, path, .inline) { [service, options] _ in
      guard options.readModel == nil ? service.isReady : service.isRunning else {
        return .unavailable("not-ready", "the models are not ready")
      }
      return HTTPResponse(type: "text/plain; charset=utf-8", body: [UInt8(ascii: "\n")])
    }
    route.requiresToken = false
    return route
  }

  private func invocationRoute(_ path: String, redirects: Bool) -> Route {
    var route = self.route(.post, path, compressesResponse: true) {
      (request) async throws(ClientError) in
      if redirects, let target = request.headers[Self.redirectHeader] {
        return try await redirected(request, to: target)
      }
      return try await handler.response(to: request, options.defaultSelector(service))
    }
    route.laneName = { [service, options] _ in
      (try? options.defaultSelector(service).name) ?? ""
    }
    return route
  }
}

// MARK: Vertex AI

extension PlatformRoutes {
  /// The header by which a client of Vertex AI selects a path.
  private static let redirectHeader = "X-Vertex-Ai-Triton-Redirect"

  private func redirected(
    _ request: HTTPRequest, to path: String
  ) async throws(ClientError) -> HTTPResponse {
    guard let target = RequestTarget(path.hasPrefix("/") ? path : "/" + path),
      target.pathSegments.first == "v2"
    else {
      throw ClientError(
        .badRequest, "invalid-request", "\(Self.redirectHeader) must be a path under v2")
    }
    let isChange = ["load", "unload"].contains(target.pathSegments.last ?? "")
    guard !(target.pathSegments.dropFirst().first == "repository" && isChange) else {
      throw ClientError(
        .forbidden, "forbidden", "models cannot be loaded or unloaded through a redirect")
    }
    var redirected = request
    redirected.target = target
    redirected.headers["Content-Encoding"] = nil
    // The response is compressed for the route that the client has requested.
    redirected.headers["Accept-Encoding"] = nil
    if let length = try handler.headerLength(of: request) {
      redirected.headers[OpenInferenceResponseWriter.headerLengthName] = String(length)
    }
    for method in [HTTPMethod.post, .get] {
      guard case .route(let route) = redirectTargets.match(method, target) else { continue }
      redirected.method = method
      return await route.handle(redirected)
    }
    throw ClientError(.notFound, "not-found", "no resource at '\(path)'")
  }
}

// MARK: SageMaker endpoints with several models

extension PlatformRoutes {
  private var modelRoutes: [Route] {
    guard let readModel = options.readModel else { return [] }
    return [
      Route(.get, "/models", .inline) { _ in modelList },
      route(.post, "/models", .control) { (request) throws(ClientError) in
        try add(request, readModel)
      },
      route(.get, "/models/:name", .control) { (request) throws(ClientError) in
        let entry = try entry(request)
        return .json { writer in writer.object { entry.writeSageMaker(to: &$0) } }
      },
      route(.delete, "/models/:name", .control) { (request) throws(ClientError) in
        service.catalog.remove(named: try entry(request).name)
        return .json { $0.object { _ in } }
      },
      route(.post, "/models/:name/invoke", compressesResponse: true) {
        (request) async throws(ClientError) in
        try await handler.response(to: request, service.resolve(request.modelSelector))
      },
    ]
  }

  private var modelList: HTTPResponse {
    let entries = service.catalog.entries
    return .jsonObject { writer in
      writer.member("models", objects: entries) { $1.writeSageMaker(to: &$0) }
    }
  }

  private func entry(_ request: HTTPRequest) throws(ClientError) -> ModelCatalog.Entry {
    let name = request.modelSelector.name
    guard let entry = service.catalog.entries.first(where: { $0.name == name }) else {
      throw ClientError(.notFound, "unknown-model", "there is no model '\(name)'")
    }
    return entry
  }

  private func add(
    _ request: HTTPRequest, _ readModel: (String, String) -> ModelCatalog.Entry
  ) throws(ClientError) -> HTTPResponse {
    let root = try StandardRoute.object(request.body, request.context)
    guard let name = root["model_name"]?.string, let path = root["url"]?.string, !name.isEmpty,
      path.hasPrefix("/"), RequestTarget("/" + name) != nil
    else {
      throw ClientError(
        .badRequest, "invalid-request", "expected 'model_name' and 'url', the path of a folder")
    }
    guard !service.catalog.entries.contains(where: { $0.name == name }) else {
      throw ClientError(.conflict, "already-exists", "model '\(name)' is already loaded")
    }
    let entry = readModel(name, path)
    if let error = entry.error {
      let clientError = ClientError(error)
      throw ClientError(
        .badRequest, clientError.code, clientError.message, reason: "\(error)")
    }
    service.catalog.add(entry)
    return .json { writer in writer.object { entry.writeSageMaker(to: &$0) } }
  }
}

extension ModelCatalog.Entry {
  /// Writes the model as SageMaker lists it.
  ///
  /// The platform has chosen the path, so that it is no secret.
  fileprivate func writeSageMaker(to writer: inout JSONWriter) {
    writer.member("modelName", name)
    // Clients expect the folder of the model, in which the platform puts its files into `model`.
    let suffix = "/model"
    writer.member("modelUrl", path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path)
  }
}
