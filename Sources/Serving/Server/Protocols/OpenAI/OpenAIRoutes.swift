import TensorIOBundle
import TensorIOCore
import TensorIOGeneration
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// The routes of OpenAI's interface: texts of language models and of recordings, speech, and vectors of embedders.
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
      route("/v1/responses") { (request, body) async throws(ClientError) in
        try await generate(GenerationRequest(body, .responses), request, body)
      },
      route("/v1/embeddings") { (request, body) async throws(ClientError) in
        try await EmbeddingsHandler(service, request).response(to: body)
      },
      route("/v1/audio/speech") { (request, body) async throws(ClientError) in
        try await SpeechHandler(service, request, body).response(to: body)
      },
      voicesRoute,
      audioRoute("/v1/audio/transcriptions", translates: false),
      audioRoute("/v1/audio/translations", translates: true),
    ]
  }

  /// The route for the names of voices: those of the model in the query, or of all models.
  private var voicesRoute: Route {
    var route = standardRoute(.get, "/v1/audio/voices", .control) {
      [service] (request) throws(ClientError) in
      let model = request.target.queryItems.first { $0.name == "model" }?.value
      let names = try service.voices(of: model)
      return .jsonObject { $0.strings("voices", names) }
    }
    route.errorForm = OpenAIErrors.response
    return route
  }

  /// Returns a route whose body is a form with a recording.
  private func audioRoute(_ path: String, translates: Bool) -> Route {
    route(path, modelName: TranscriptionRequest.modelName) { (request) async throws(ClientError) in
      try await TranscriptionHandler(service, request, translates: translates).response()
    }
  }

  private func route(
    _ path: String,
    _ handler: @escaping @Sendable (HTTPRequest, JSONNode) async throws(ClientError) -> HTTPResponse
  ) -> Route {
    route(path, modelName: { ModelNameScanner.model(in: $0.body) }) {
      (request) async throws(ClientError) in
      try await handler(request, StandardRoute.object(request.body, request.context))
    }
  }

  private func route(
    _ path: String, modelName: @escaping @Sendable (HTTPRequest) -> String?,
    _ handler: @escaping @Sendable (HTTPRequest) async throws(ClientError) -> HTTPResponse
  ) -> Route {
    var route = standardRoute(.post, path) { (request) async throws(ClientError) in
      try await handler(request)
    }
    route.errorForm = OpenAIErrors.response
    route.laneName = { request in modelName(request) ?? "" }
    route.admission = { [service] request in
      modelName(request).flatMap { service.rejection(ModelSelector($0)) }
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
    return try await namedModel(name, context)
  }

  /// Returns the model of a name.
  func namedModel(
    _ name: String, _ context: RequestContext
  ) async throws(ClientError) -> ServedModel {
    do throws(ClientError) {
      let served = try await openModel(resolve(ModelSelector(name)))
      context.recordModel(served.name)
      return served
    } catch {
      throw error.of("model")
    }
  }
}

extension InferenceService {
  /// Returns the names of the voices of a model, or of all models, each once.
  fileprivate func voices(of model: String?) throws(ClientError) -> [String] {
    var statuses = catalog.statuses
    if let model {
      do throws(ClientError) {
        statuses = catalog.servedStatuses(of: try resolve(ModelSelector(model)).name)
      } catch {
        throw error.of("model")
      }
    }
    let voices = statuses.compactMap { $0.bundle?.voices }
    guard model == nil || !voices.isEmpty else {
      throw ClientError(unsupported: "model", "the model '\(model ?? "")' does not speak")
    }
    var names: [String] = []
    for name in voices.joined() where !names.contains(name) { names.append(name) }
    return names
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
    guard request.tools.isEmpty || pool.generator.toolCallForm != nil else {
      throw ClientError(
        unsupported: "tools", "the template of the model '\(served.name)' has no tools")
    }
    let created = Int64(Platform.unixNanoseconds / 1_000_000_000)
    let run = GenerationRun(served, pool, request, http.context)
    switch request.form {
    case .chat, .completions:
      let writer = GenerationWriter(
        request, model: served.name, id: http.id, created: created, pool)
      return try await response(run, writer, request, pool)
    case .responses:
      let writer = ResponsesWriter(request, body, model: served.name, id: http.id, created: created)
      return try await response(run, writer, request, pool)
    }
  }

  private func response(
    _ run: GenerationRun, _ writer: some TextResponseWriter, _ request: GenerationRequest,
    _ pool: SequencePool
  ) async throws(ClientError) -> HTTPResponse {
    try await run.prepare()
    guard !request.isStream else { return stream(run, writer, request, pool) }
    var messages: [GeneratedMessage] = []
    for index in 0..<run.count {
      var message = GeneratedMessage(request, pool.generator)
      let text = try await run.read(index) { _ = message.append($0) }
      _ = message.finish(text)
      messages.append(message)
    }
    return HTTPResponse(type: "application/json", body: writer.object(messages))
  }

  private func stream<Writer: TextResponseWriter>(
    _ run: GenerationRun, _ writer: Writer, _ request: GenerationRequest, _ pool: SequencePool
  ) -> HTTPResponse {
    let stream = ResponseBody.Stream(
      errorEvent: { Writer.failure($0) }, heartbeat: Array(":\n\n".utf8)
    ) { (body) async throws(ClientError) in
      // The client may have left before the first text is read.
      defer { run.discard() }
      // The head is sent before the first token.
      try await body.send([])
      var writer = writer
      var messages: [GeneratedMessage] = []
      for index in 0..<run.count {
        let beginning = writer.beginning(index)
        if !beginning.isEmpty { try await body.send(beginning) }
        var message = GeneratedMessage(request, pool.generator)
        let text = try await run.read(index) { (piece) async throws(ClientError) in
          let event = writer.part(message.append(piece), piece, of: message, index)
          if !event.isEmpty { try await body.send(event) }
        }
        let rest = writer.part(message.finish(text), nil, of: message, index)
        try await body.send(rest + writer.end(message, index))
        messages.append(message)
      }
      // The end of the body is sent with the last event, because clients close the connection when they have read it.
      body.finish(with: writer.last(messages))
    }
    return HTTPResponse(events: stream)
  }
}
