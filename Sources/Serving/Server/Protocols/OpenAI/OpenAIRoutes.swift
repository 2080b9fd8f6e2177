import TensorIOBundle
import TensorIOCore
import TensorIOGeneration
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// The routes of OpenAI's interface: texts of language models and vectors of embedders.
///
/// The model is named in the body, not in the path.
struct OpenAIRoutes: ServingProtocol {
  private let service: InferenceService
  private let standardRoute = StandardRoute(errors: OpenAIErrors.response)

  init(_ host: ServingHost) { service = host.service }

  var routes: [Route] {
    [
      route("/v1/chat/completions") { (request, body) async throws(ClientError) in
        try await generate(GenerationRequest(body, .chat), request, body)
      },
      route("/v1/completions") { (request, body) async throws(ClientError) in
        try await generate(GenerationRequest(body, .completions), request, body)
      },
      route("/v1/embeddings") { (request, body) async throws(ClientError) in
        try await EmbeddingsHandler(service, request).response(to: body)
      },
    ]
  }

  private func route(
    _ path: String,
    _ handler: @escaping @Sendable (HTTPRequest, JSONNode) async throws(ClientError) -> HTTPResponse
  ) -> Route {
    var route = standardRoute(.post, path) { (request) async throws(ClientError) in
      try await handler(request, StandardRoute.object(request.body, request.context))
    }
    route.errorForm = OpenAIErrors.response
    route.laneName = { request in ModelNameScanner.model(in: request.body) ?? "" }
    route.admission = { [service] request in
      ModelNameScanner.model(in: request.body).flatMap { service.rejection(ModelSelector($0)) }
        .map(OpenAIErrors.response)
    }
    return route
  }
}

extension InferenceService {
  /// Returns the model that the body of a request names.
  func namedModel(
    in body: JSONNode, _ context: RequestContext
  ) async throws(ClientError) -> ServedModel {
    guard let name = body["model"]?.string else {
      throw ClientError(invalid: "model", "expected the name of a model")
    }
    do throws(ClientError) {
      let served = try await openModel(resolve(ModelSelector(name)))
      context.recordModel(served.name)
      return served
    } catch {
      throw error.of("model")
    }
  }
}

// MARK: Texts

extension OpenAIRoutes {
  private func generate(
    _ request: GenerationRequest, _ http: HTTPRequest, _ body: JSONNode
  ) async throws(ClientError) -> HTTPResponse {
    let served = try await service.namedModel(in: body, http.context)
    guard let pool = served.sequences else {
      throw ClientError(unsupported: "model", "the model '\(served.name)' generates no text")
    }
    let writer = GenerationWriter(
      request, model: served.name, id: http.id,
      created: Int64(Platform.unixNanoseconds / 1_000_000_000), pool)
    let run = GenerationRun(served, pool, request, http.context)
    try await run.prepare()
    guard request.isStream else {
      var texts: [(GeneratedText, [GeneratedPiece])] = []
      for index in request.prompts.indices {
        var pieces: [GeneratedPiece] = []
        let text = try await run.read(index) { pieces.append($0) }
        texts.append((text, pieces))
      }
      return HTTPResponse(type: "application/json", body: writer.object(texts))
    }
    return stream(run, writer, request.prompts.count)
  }

  private func stream(
    _ run: GenerationRun, _ writer: GenerationWriter, _ count: Int
  ) -> HTTPResponse {
    let stream = ResponseBody.Stream(
      errorEvent: { GenerationWriter.failure($0) }, heartbeat: Array(":\n\n".utf8)
    ) { (body) async throws(ClientError) in
      // The client may have left before the first text is read.
      defer { run.discard() }
      // The head is sent before the first token.
      try await body.send([])
      var texts: [GeneratedText] = []
      for index in 0..<count {
        if let event = writer.beginning(index) { try await body.send(event) }
        let text = try await run.read(index) { (piece) async throws(ClientError) in
          guard !piece.text.isEmpty || piece.logProbabilities != nil else { return }
          try await body.send(writer.part(piece, index))
        }
        texts.append(text)
        try await body.send(writer.end(text.end, index))
      }
      // The end of the body is sent with the last event, because clients close the connection when they have read it.
      body.finish(with: writer.last(texts))
    }
    var response = HTTPResponse(type: "text/event-stream; charset=utf-8", stream: stream)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response
  }
}
