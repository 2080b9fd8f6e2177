import TensorIOBundle
package import TensorIOCore
import TensorIOJSON

/// What a server answers that serves models.
package struct PredictionRoutes: Sendable {
  private let catalog: ModelCatalog
  private let metrics: ServerMetrics
  private let version: String
  private let status: ServerStatus
  private let isolation: Isolation.Level?

  /// Answers for some models, of a server with a status, which says how it isolates them.
  package init(
    _ catalogue: ModelCatalog, _ figures: ServerMetrics, version: String,
    status: ServerStatus, isolation: Isolation.Level?
  ) {
    (self.catalog, self.metrics) = (catalogue, figures)
    (self.version, self.status, self.isolation) = (version, status, isolation)
  }

  /// Who answers what.
  package var routes: [Route] {
    [
      Route(.get, "/v2", .inline) { _ in serverMetadata },
      Route(.get, "/v2/health/live", .inline) { _ in Self.liveness },
      Route(.get, "/v2/health/ready", .inline) { _ in readiness },
      Route(.get, "/v2/models", .inline) { _ in modelList },
      Route(.get, "/v2/models/:name") { Self.respond(to: $0, modelMetadata) },
      Route(.post, "/v2/models/:name/predict") { Self.respond(to: $0, predict) },
      Route(.get, "/metrics", .inline) { _ in metricsResponse },
    ]
  }
}

// MARK: The server

extension PredictionRoutes {
  private var serverMetadata: HTTPResponse {
    .json { writer in
      writer.object { writer in
        writer.member("name", "tensorio")
        writer.member("version", version)
        writer.member(
          "extensions",
          array: { writer in Self.extensions.forEach { writer.value($0) } })
      }
    }
  }

  /// What it speaks besides the paths of the standard that begin with `/v2`.
  private static let extensions = ["predict", "metrics"]

  private var readiness: HTTPResponse {
    guard status.state == .ready else {
      return .error(.serviceUnavailable, "draining", "the server is about to end")
    }
    return .json { writer in
      writer.object { writer in
        writer.member("ready", true)
        writer.member("isolation", isolation?.rawValue ?? "none")
      }
    }
  }

  private static var liveness: HTTPResponse { .json { $0.object { $0.member("live", true) } } }

  private var metricsResponse: HTTPResponse {
    HTTPResponse(
      type: "text/plain; version=0.0.4; charset=utf-8",
      body: metrics.prometheusText(catalog.statuses, status))
  }
}

// MARK: Models

extension PredictionRoutes {
  private var modelList: HTTPResponse {
    let states = catalog.statuses
    return .json { writer in
      writer.object { writer in
        writer.member(
          "models",
          array: { writer in
            states.forEach { state in writer.object { state.write(to: &$0) } }
          })
      }
    }
  }

  private func modelMetadata(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let name = request.pathParameters["name"] ?? ""
    let card = try Self.mappingErrors { () throws(ModelError) in
      ModelMetadata(name, try bundle(named: name))
    }
    return .json { writer in writer.object { card.write(to: &$0) } }
  }

  /// The bundle of a name; that of a chain is known when it is open.
  private func bundle(named name: String) throws(ModelError) -> ModelBundle {
    guard let bundle = try catalog.entry(named: name).bundle else {
      return try catalog.model(named: name).model.bundle
    }
    return try bundle.get()
  }

  private func predict(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let options = try PredictParameters(request.target.queryItems)
    let served = try Self.mappingErrors { () throws(ModelError) in
      try catalog.model(named: request.pathParameters["name"] ?? "")
    }
    return try PredictionHandler(served, options, metrics).response(to: request)
  }
}

// MARK: Failures

extension PredictionRoutes {
  private static func respond(
    to request: HTTPRequest, _ work: (HTTPRequest) throws(ClientError) -> HTTPResponse
  ) -> HTTPResponse {
    do {
      return try work(request)
    } catch {
      return error.response
    }
  }

  private static func mappingErrors<Value>(
    _ work: () throws(ModelError) -> Value
  ) throws(ClientError) -> Value {
    do {
      return try work()
    } catch {
      throw ClientError(error)
    }
  }
}
