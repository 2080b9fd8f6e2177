import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOServer
import TensorIOTasks

/// The routes that transcribe sound while a client records it.
struct StudioTranscriptRoutes: Sendable {
  let studio: Studio

  /// The maximum size of a piece of the sound.
  private static let maxPieceBytes = 8 << 20
  private static let encodings = [AudioEncoding.int16, .float32]

  var routes: [Route] {
    [
      .studio(.post, "/transcripts") { (request) throws(ClientError) in try create(request) },
      .studio(.post, "/transcripts/:id/sound", maxBodyBytes: Self.maxPieceBytes) {
        (request) throws(ClientError) in try append(request)
      },
      .studio(.get, "/transcripts/:id", .control) { (request) throws(ClientError) in
        response(.ok, try transcript(request), from: try firstSegment(request))
      },
      .studio(.post, "/transcripts/:id/finish") { (request) throws(ClientError) in
        try finish(request)
      },
      .studio(.delete, "/transcripts/:id", .control) { (request) throws(ClientError) in
        studio.transcripts.remove(try transcript(request))
        return .noContent
      },
    ]
  }

  private func transcript(_ request: HTTPRequest) throws(ClientError) -> StudioTranscript {
    try studio.transcripts.transcript(request.pathParameter("id"))
  }

  /// Returns the index of the first segment that the client does not have.
  private func firstSegment(_ request: HTTPRequest) throws(ClientError) -> Int {
    guard let text = request.target["segments"] else { return 0 }
    guard let index = Int(text), index >= 0 else {
      throw .badRequest("'segments' must be a number of segments")
    }
    return index
  }

  private func response(
    _ status: HTTPStatus, _ transcript: StudioTranscript, from index: Int = 0
  ) -> HTTPResponse {
    .jsonObject(status) { transcript.writeMembers(from: index, to: &$0) }
  }

  private func create(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let body = try request.jsonObject()
    guard let name = body["model"]?.string else {
      throw .badRequest("'model' must be the name of a model")
    }
    let format = try Self.format(body)
    let entry = try studio.entry(named: name)
    let model: Model
    do throws(ModelError) {
      model = try studio.catalog.model(named: entry.name).model
    } catch {
      throw ClientError(error, entry.redactor)
    }
    guard model.transcribes else {
      throw ClientError(
        .unprocessableContent, "unsupported", "the model transcribes no recordings")
    }
    let transcript = try StudioTranscript(
      by: model, named: entry.name, of: format, entry.redactor, studio.transcripts.limits.sound)
    try studio.transcripts.add(transcript)
    return response(.created, transcript)
  }

  /// Returns the format of the sound that a request announces.
  private static func format(_ body: JSONNode) throws(ClientError) -> AudioFormat {
    let name = body["encoding"].map { $0.string ?? "" } ?? AudioEncoding.int16.rawValue
    guard let encoding = encodings.first(where: { $0.rawValue == name }) else {
      let names = encodings.map { "'\($0.rawValue)'" }.joined(separator: " or ")
      throw .badRequest("'encoding' must be \(names)")
    }
    guard let rate = body["sample_rate"]?.int.flatMap({ Int(exactly: $0) }) else {
      throw .badRequest("'sample_rate' must be the number of samples per second")
    }
    do throws(AudioError) {
      return try AudioFormat(encoding: encoding, sampleRate: rate)
    } catch {
      throw .badRequest("'sample_rate': \(error)")
    }
  }

  private func append(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let (transcript, index) = (try transcript(request), try firstSegment(request))
    guard let offset = request.target["offset"].flatMap({ Int($0) }), !request.body.isEmpty else {
      throw .badRequest("'offset' must be the position of the body in the sound")
    }
    try transcript.append(request.body, at: offset)
    try transcript.update()
    return response(.ok, transcript, from: index)
  }

  private func finish(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let transcript = try transcript(request).finish()
    return .jsonObject { writer in
      writer.member("outputs") { writer in
        writer.key(transcript.key)
        transcript.write(to: &writer)
      }
    }
  }
}
