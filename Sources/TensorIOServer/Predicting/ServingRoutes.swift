package import TensorIOCore

/// What a server answers that serves models.
package struct ServingRoutes: Sendable {
  private let catalogue: ModelCatalogue
  private let figures: ServerFigures
  private let version: String
  private let status: ServerStatus
  private let isolation: Isolation.Level?

  /// Answers for some models, of a server with a status, which says how it isolates them.
  package init(
    _ catalogue: ModelCatalogue, _ figures: ServerFigures, version: String,
    status: ServerStatus, isolation: Isolation.Level?
  ) {
    (self.catalogue, self.figures) = (catalogue, figures)
    (self.version, self.status, self.isolation) = (version, status, isolation)
  }

  /// Who answers what.
  package var routes: [Route] {
    [
      Route(.get, "/v2", .immediate) { _ in server },
      Route(.get, "/v2/health/live", .immediate) { _ in Self.live },
      Route(.get, "/v2/health/ready", .immediate) { _ in ready },
      Route(.get, "/v2/models", .immediate) { _ in models },
      Route(.get, "/v2/models/:name") { Self.answer($0, card) },
      Route(.post, "/v2/models/:name/predict") { Self.answer($0, prediction) },
      Route(.get, "/metrics", .immediate) { _ in metrics },
    ]
  }
}

// MARK: The server

extension ServingRoutes {
  private var server: HTTPResponse {
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

  private var ready: HTTPResponse {
    guard status.state == .ready else {
      return .failure(.unavailable, "draining", "the server is about to end")
    }
    return .json { writer in
      writer.object { writer in
        writer.member("ready", true)
        writer.member("isolation", isolation?.rawValue ?? "none")
      }
    }
  }

  private static var live: HTTPResponse { .json { $0.object { $0.member("live", true) } } }

  private var metrics: HTTPResponse {
    HTTPResponse(
      type: "text/plain; version=0.0.4; charset=utf-8",
      body: figures.text(catalogue.states, status))
  }
}

// MARK: Models

extension ServingRoutes {
  private var models: HTTPResponse {
    let states = catalogue.states
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

  private func card(_ request: HTTPRequest) throws(PublicFailure) -> HTTPResponse {
    let name = request.parameters["name"] ?? ""
    let card = try Self.told { () throws(ModelError) in
      ModelCard(name, try bundle(named: name))
    }
    return .json { writer in writer.object { card.write(to: &$0) } }
  }

  /// The bundle of a name; that of a chain is known when it is open.
  private func bundle(named name: String) throws(ModelError) -> ModelBundle {
    guard let bundle = try catalogue.entry(named: name).bundle else {
      return try catalogue.model(named: name).model.bundle
    }
    return try bundle.get()
  }

  private func prediction(_ request: HTTPRequest) throws(PublicFailure) -> HTTPResponse {
    let options = try PredictOptions(request.target.query)
    let served = try Self.told { () throws(ModelError) in
      try catalogue.model(named: request.parameters["name"] ?? "")
    }
    return try Prediction(served, options, figures).response(to: request)
  }
}

// MARK: Failures

extension ServingRoutes {
  private static func answer(
    _ request: HTTPRequest, _ work: (HTTPRequest) throws(PublicFailure) -> HTTPResponse
  ) -> HTTPResponse {
    do {
      return try work(request)
    } catch {
      return error.response
    }
  }

  private static func told<Value>(
    _ work: () throws(ModelError) -> Value
  ) throws(PublicFailure) -> Value {
    do {
      return try work()
    } catch {
      throw PublicFailure(error)
    }
  }
}
