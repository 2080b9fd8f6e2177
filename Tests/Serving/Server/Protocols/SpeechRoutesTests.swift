import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// OpenAI's route for speech, with the tiny voice of `SpeechTests`.
@Suite(.ownThreads, .hangGuard) struct SpeechRoutesTests {
  private let router: Router
  private let model: Model

  init() throws {
    let path = ProjectFiles.path("Tests/Fixtures/Bundles/voice.tiobundle")
    let model = try Model(at: path, options: OpeningOptions(threads: 1))
    self.model = model
    let other = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-merged.tiobundle")
    let entries = try ["voice", "other"].map { name in
      ModelCatalog.Entry(
        name: name, path: path,
        bundle: .success(try ModelBundle(at: name == "voice" ? path : other)))
    }
    let catalog = ModelCatalog(entries) { (entry) throws(ModelError) in
      entry.name == "voice" ? model : try Model(at: other)
    }
    router = Router(
      PredictionRoutes(
        catalog, ServerMetrics(), version: "1", status: ServerStatus(), isolation: nil
      ).routes)
  }

  private func post(_ members: String, model: String = "voice") throws -> HTTPResponse {
    let target = try #require(RequestTarget("/v1/audio/speech"))
    let body = Array("{\"model\": \"\(model)\", \(members)}".utf8)
    var request = HTTPRequest(id: "r1", .post, target, body: body)
    request.headers["Content-Type"] = "application/json"
    return router.respond(to: request)
  }

  private func voices(_ query: String = "") throws -> HTTPResponse {
    let target = try #require(RequestTarget("/v1/audio/voices" + query))
    return router.respond(to: HTTPRequest(id: "r1", .get, target, body: []))
  }

  @Test func `Voices are listed by name`() throws {
    for query in ["", "?model=voice"] {
      let response = try voices(query)
      #expect(response.status == .ok)
      #expect(
        try response.json()["voices"]?.array?.map(\.string) == ["anna", "bert"], "\(response.text)")
    }
    #expect(try voices("?model=none").status == .notFound)
    let other = try voices("?model=other")
    #expect(other.status == .badRequest && other.text.contains("does not speak"))
    #expect(try other.json()["error"]?["param"]?.string == "model")
  }

  private static let text = "Hello, world! Two cats."

  /// Returns the body of a stream.
  private func streamed(_ response: HTTPResponse) async throws -> [UInt8] {
    guard case .stream(let stream) = response.content else {
      Issue.record("no stream: \(response.text)")
      return []
    }
    let writer = BodyWriter(connectionID: 1, streamID: 0, try CompletionQueue())
    try await stream.producer(writer)
    return try #require(writer.take()).0
  }

  @Test func `A sentence is a WAV file with its length`() throws {
    let response = try post(
      #""input": "Hello, world!", "voice": "bert", "speed": 2, "response_format": "wav""#)
    #expect(response.status == .ok && response.headers["Content-Type"] == "audio/wav")
    let speech = try model.speak("Hello, world!") { ($0.voice, $0.speed) = ("bert", 2) }.result()
    #expect(response.body == (try speech.audio.encoded()))
  }

  @Test func `Several sentences are a stream of the same samples`() async throws {
    let response = try post(
      "\"input\": \"\(Self.text)\", \"voice\": \"alloy\", \"response_format\": \"wav\"")
    #expect(response.status == .ok)
    let bytes = try await streamed(response)
    let header = bytes.prefix(44)
    #expect(header[4..<8].allSatisfy { $0 == 0xFF } && header[40..<44].allSatisfy { $0 == 0xFF })
    let sound = try model.speak(Self.text).result().audio
    #expect(Array(bytes.dropFirst(44)) == Array(sound.encoded().dropFirst(44)))
    #expect(try AudioBuffer(decoding: bytes).frameCount == sound.frameCount)
  }

  @Test func `Samples without a header have 24000 in a second`() async throws {
    let response = try post(#""input": "Hello.", "response_format": "pcm""#)
    #expect(response.headers["Content-Type"] == "audio/pcm;rate=24000;channels=1")
    let speech = try model.speak("Hello.").result()
    #expect(response.body.count == 2 * speech.samples.count * 15)
  }

  @Test func `Events have the samples in Base64`() async throws {
    let response = try post(
      "\"input\": \"\(Self.text)\", \"response_format\": \"pcm\", \"stream_format\": \"sse\"")
    #expect(response.headers["Content-Type"]?.hasPrefix("text/event-stream") == true)
    let events = String(decoding: try await streamed(response), as: UTF8.self)
      .split(separator: "\n\n").map { String($0.dropFirst(6)) }
    #expect(events.count == 3)
    let objects = try events.map { try JSONTree($0) }
    #expect(
      objects.map { $0["type"]?.string } == [
        "speech.audio.delta", "speech.audio.delta", "speech.audio.done",
      ])
    let bytes = objects.compactMap { $0["audio"]?.string }.compactMap { Data(base64Encoded: $0) }
    #expect(bytes.allSatisfy { !$0.isEmpty && $0.count.isMultiple(of: 2) })
    #expect(objects[2]["usage"]?["input_tokens"]?.number ?? 0 > 10)
  }

  @Test(
    arguments: [
      (#""input": """#, "input"), (#""input": "...""#, nil), (#""input": 5"#, "input"),
      (#""input": "Hello.", "voice": "clara", "response_format": "wav""#, nil),
      (#""input": "Hello.", "voice": 5"#, "voice"), (#""input": "Hello.", "speed": 5"#, "speed"),
      (#""input": "Hello.", "speed": "fast""#, "speed"),
      (#""input": "Hello.", "response_format": "midi""#, "response_format"),
      (#""input": "Hello.", "stream_format": "x""#, "stream_format"),
      (#""input": "Hello.", "stream_format": "sse", "response_format": "mp3""#, "stream_format"),
      (#""voice": "anna""#, "input"),
    ] as [(String, String?)])
  func `Invalid members are errors that name them`(_ members: String, _ name: String?) throws {
    let response = try post(members)
    #expect(response.status == .badRequest, "\(response.text)")
    #expect(try response.json()["error"]?["param"]?.string == name)
  }

  @Test func `A text that is too long, or another model, is an error`() throws {
    let long = String(repeating: "a ", count: 2049)
    #expect(try post("\"input\": \"\(long)\"").status == .badRequest)
    let other = try post(#""input": "Hello.""#, model: "other")
    #expect(other.status == .badRequest && other.text.contains("does not speak"))
    #expect(try post(#""input": "Hello.""#, model: "none").status == .notFound)
  }

  /// The other formats need a program that may be missing.
  @Test func `A compressed format is made, or the error names the program`() throws {
    let response = try post(#""input": "Hello.""#)
    if response.status == .ok {
      #expect(response.headers["Content-Type"] == "audio/mpeg" && response.body.count > 100)
    } else {
      #expect(response.status == .badRequest && response.text.contains("ffmpeg"))
    }
  }
}
