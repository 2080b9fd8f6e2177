import TensorIOBundle
package import TensorIOCore
import TensorIOJSON

/// The routes of a server that runs models.
package struct PredictionRoutes: Sendable {
  private let catalog: ModelCatalog
  private let metrics: ServerMetrics
  private let status: ServerStatus
  private let isolation: Isolation.Level?
  private let limits: PredictionLimits
  private let platform: PlatformOptions?
  /// What the routes of inference protocols offer.
  package let service: InferenceService

  /// Creates the routes for `catalog`.
  ///
  /// `isolation` is reported by the readiness route, `administrationHint` says in errors how
  /// clients become administrators, and `platform` serves the paths of platforms.
  package init(
    _ catalog: ModelCatalog, _ metrics: ServerMetrics, version: String,
    status: ServerStatus, isolation: Isolation.Level?,
    limits: PredictionLimits = PredictionLimits(), administrationHint: String = "",
    platform: PlatformOptions? = nil
  ) {
    (self.limits, self.platform) = (limits, platform)
    (self.catalog, self.metrics) = (catalog, metrics)
    (self.status, self.isolation) = (status, isolation)
    service = InferenceService(
      catalog, metrics, version: version, status: status, limits: limits,
      administrationHint: administrationHint)
  }

  /// All routes.
  package var routes: [Route] { all.routes }

  /// The gRPC services of the protocols, health and reflection.
  package var grpcServices: [GRPCService] {
    let models = all.grpcServices
    let health = HealthGRPC(service: service, services: models.map(\.name)).grpcService
    return models + [health]
      + ["v1alpha", "v1"].map { ReflectionGRPC(version: $0).grpcService }
  }

  private var all: (routes: [Route], grpcServices: [GRPCService]) {
    ServingProtocols.all.reduce((ownRoutes, [])) { all, type in
      let host = ServingHost(service: service, platform: platform, routes: all.routes)
      let added = type.init(host)
      return (all.routes + added.routes, all.grpcServices + added.grpcServices)
    }
  }

  private var ownRoutes: [Route] {
    [
      Route(.get, "/v2/health/live", .inline) { _ in Self.liveness },
      Route(.get, "/v2/health/ready", .inline) { _ in readiness },
      Route(.get, "/v2/models", .inline) { _ in modelList },
      predictionRoute("/v2/models/:name/predict"),
      predictionRoute("/v2/models/:name/versions/:version/predict"),
      Route(.get, "/metrics", .inline) { _ in metricsResponse },
    ]
  }
}

// MARK: Server

extension PredictionRoutes {
  private var readiness: HTTPResponse {
    guard status.state == .ready else {
      return .error(.serviceUnavailable, "shutting-down", "the server is shutting down")
    }
    let readiness = catalog.readiness
    return .jsonObject(readiness.isReady ? .ok : .serviceUnavailable) { writer in
      writer.member("ready", readiness.isReady)
      writer.member("isolation", isolation?.rawValue ?? "none")
      readiness.write(to: &writer)
    }
  }

  private static var liveness: HTTPResponse { .json { $0.object { $0.member("live", true) } } }

  private var metricsResponse: HTTPResponse {
    HTTPResponse(
      type: "text/plain; version=0.0.4; charset=utf-8",
      body: metrics.prometheusText(
        catalog.statuses, status, catalog.readiness, version: service.version))
  }
}

// MARK: Models

extension PredictionRoutes {
  private var modelList: HTTPResponse {
    let statuses = catalog.statuses
    return .jsonObject { writer in
      writer.member("models", objects: statuses) { $1.write(to: &$0) }
    }
  }

  private func predictionRoute(_ path: String) -> Route {
    var route = Route(.post, path, async: predict)
    route.admission = { [catalog] request in
      catalog.rejection(request.modelSelector).map { ClientError($0).response }
    }
    route.overload = { [catalog] request in catalog.recordOverload(request.modelSelector) }
    return route
  }

  private func predict(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(ClientError) {
      let options = try PredictParameters(request.target.queryItems)
      let served = try await service.openModel(request.modelSelector)
      try await request.waitToRead()
      let runner = RequestRunner(
        served: served, context: request.context, limits: limits, metrics: metrics)
      return try await PredictionHandler(runner, options).response(to: request)
    } catch {
      return error.response
    }
  }
}

extension HTTPRequest {
  /// The model that the path parameters name.
  var modelSelector: ModelSelector {
    ModelSelector(
      pathParameters[Route.modelParameter] ?? "", version: pathParameters[Route.versionParameter])
  }
}
