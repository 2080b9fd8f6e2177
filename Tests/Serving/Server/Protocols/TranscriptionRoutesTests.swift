import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// OpenAI's routes for recordings, with the tiny speech model of `TranscriptionTests`.
@Suite(.ownThreads, .hangGuard) struct TranscriptionRoutesTests {
  private let router: Router
  private let model: Model
  /// The same model with a model of voices.
  private let meeting: Model
  private var file: [UInt8]

  init() throws {
    let path = ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle")
    let model = try Model(at: path, options: OpeningOptions(threads: 1))
    self.model = model
    let meetingBundle = try SpeakerBundle()
    let meeting = try Model(at: meetingBundle.path, options: OpeningOptions(threads: 1))
    self.meeting = meeting
    var entries = try ["decoder-merged", "speech"].map { name in
      ModelCatalog.Entry(name: name, path: path, bundle: .success(try ModelBundle(at: path)))
    }
    entries.append(
      ModelCatalog.Entry(
        name: "meeting", path: meetingBundle.path,
        bundle: .success(try ModelBundle(at: meetingBundle.path))))
    let decoder = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-merged.tiobundle")
    let catalog = ModelCatalog(entries) { (entry) throws(ModelError) in
      if entry.name == "meeting" { return meeting }
      return entry.name == "speech" ? model : try Model(at: decoder)
    }
    router = Router(
      PredictionRoutes(
        catalog, ServerMetrics(), version: "1", status: ServerStatus(), isolation: nil
      ).routes)
    let tree = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/speech.json"))
    let samples = (tree["sounds"]?["tones"]?.array ?? []).compactMap(\.number)
    let sound = try AudioBuffer(samples: samples.map { Float($0 / 32768) }, sampleRate: 1600)
    let folder = try TemporaryFolder()
    try sound.write(to: folder.path + "/a.wav")
    file = Array(try Data(contentsOf: URL(filePath: folder.path + "/a.wav")))
  }

  /// Returns the response to a form with the fields, and a file in the place of `nil`.
  private func post(
    _ route: String = "transcriptions", _ fields: [(String, String?)]
  ) throws -> HTTPResponse {
    var body: [UInt8] = []
    for (name, text) in fields {
      let name = text == nil ? "\(name)\"; filename=\"unknown_file" : name
      body += Array(
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
      body += (text.map { Array($0.utf8) } ?? file) + Array("\r\n".utf8)
    }
    body += Array("--b--\r\n".utf8)
    let target = try #require(RequestTarget("/v1/audio/\(route)"))
    var request = HTTPRequest(id: "r1", .post, target, body: body)
    request.headers["Content-Type"] = "multipart/form-data; boundary=b"
    return router.respond(to: request)
  }

  private func transcript(_ translates: Bool = false, words: Bool = false) throws -> Transcript {
    let samples = try AudioBuffer(decoding: file)
    return try model.transcribe(samples) {
      $0.language = "de"
      ($0.translates, $0.hasWords) = (translates, words)
    }.result()
  }

  private let fields: [(String, String?)] = [("model", "speech"), ("language", "German")]

  @Test func `The text is that of the model, wherever the file is in the form`() throws {
    let expected = try transcript()
    try #require(!expected.segments.isEmpty)
    for form in [fields + [("file", nil)], [("file", nil)] + fields] {
      let response = try post("transcriptions", form)
      #expect(response.status == .ok, "\(response.text)")
      let object = try response.json()
      #expect(object["text"]?.string == expected.summary)
      #expect(object["usage"]?["seconds"]?.number == 5)
    }
  }

  @Test func `Each format has its media type`() throws {
    let expected = try transcript()
    for (format, type, text) in [
      ("text", "text/plain; charset=utf-8", expected.summary + "\n"),
      ("srt", "text/plain; charset=utf-8", expected.formatted(as: .srt)),
      ("vtt", "text/vtt; charset=utf-8", expected.formatted(as: .vtt)),
    ] {
      let response = try post(
        "transcriptions", fields + [("response_format", format), ("file", nil)])
      #expect(response.headers["Content-Type"] == type)
      #expect(response.text == text)
    }
  }

  @Test func `Details have segments, and words on request`() throws {
    let expected = try transcript(words: true)
    let response = try post(
      "transcriptions",
      fields + [
        ("response_format", "verbose_json"), ("timestamp_granularities[]", "word"),
        ("timestamp_granularities[]", "segment"), ("temperature", "0"), ("file", nil),
      ])
    let object = try response.json()
    #expect(object["task"]?.string == "transcribe" && object["language"]?.string == "german")
    #expect(object["duration"]?.number == 5)
    let segments = object["segments"]?.array ?? []
    #expect(segments.map { $0["text"]?.string } == expected.segments.map(\.text))
    #expect(segments.indices.allSatisfy { segments[$0]["id"]?.number == Double($0) })
    #expect(
      object["words"]?.array?.map { $0["start"]?.number }
        == expected.segments.flatMap(\.words).map(\.start))
    let plain = try post(
      "transcriptions", fields + [("response_format", "verbose_json"), ("file", nil)])
    #expect(try plain.json()["words"] == nil)
  }

  @Test func `Translations have their own tokens`() throws {
    let response = try post(
      "translations", fields + [("response_format", "verbose_json"), ("file", nil)])
    let object = try response.json()
    #expect(object["text"]?.string == (try transcript(true)).summary)
    #expect(object["task"]?.string == "translate" && object["language"]?.string == "english")
  }

  @Test func `A stream has an event for each segment, and the whole text`() async throws {
    let expected = try transcript()
    let response = try post("transcriptions", fields + [("stream", "true"), ("file", nil)])
    let events = try await events(of: response)
    let deltas = events.filter { $0["type"]?.string == "transcript.text.delta" }
    #expect(deltas.map { $0["delta"]?.string } == expected.segments.map(\.text))
    #expect(events.last?["type"]?.string == "transcript.text.done")
    #expect(events.last?["text"]?.string == expected.summary)
  }

  private func events(of response: HTTPResponse) async throws -> [JSONTree] {
    guard case .stream(let stream) = response.content else {
      Issue.record("no stream: \(response.text)")
      return []
    }
    let writer = BodyWriter(connectionID: 1, streamID: 0, try CompletionQueue())
    try await stream.producer(writer)
    let (bytes, _) = try #require(writer.take())
    return try String(decoding: bytes, as: UTF8.self).split(separator: "\n\n").map {
      try JSONTree(String($0.dropFirst(6)))
    }
  }

  // MARK: Speakers

  private let diarized: [(String, String?)] = [
    ("model", "meeting"), ("language", "de"), ("response_format", "diarized_json"),
    ("chunking_strategy", "auto"), ("file", nil),
  ]

  private func labeledTranscript() throws -> Transcript {
    let sound = try AudioBuffer(decoding: file)
    let transcript = try meeting.transcribe(sound) { $0.language = "de" }.result()
    try #require(transcript.segments.contains { $0.speaker != nil })
    return transcript
  }

  @Test func `Segments have speakers where the bundle has a model of voices`() throws {
    let expected = try labeledTranscript()
    let response = try post("transcriptions", diarized)
    #expect(response.status == .ok, "\(response.text)")
    let object = try response.json()
    #expect(object["task"]?.string == "transcribe" && object["duration"]?.number == 5)
    #expect(object["text"]?.string == expected.summary)
    #expect(object["usage"]?["seconds"]?.number == 5)
    try expectSegments(object["segments"]?.array ?? [], expected)
    // Other formats are those of a model without voices.
    let plain = try post(
      "transcriptions", [("model", "meeting")] + fields.dropFirst() + [("file", nil)])
    #expect(try plain.json()["text"]?.string == expected.summary)
    #expect(!plain.text.contains("Speaker"))
  }

  /// Returns a form with the names of known speakers and their recordings.
  private func known(_ names: [String], _ references: [String]) -> [(String, String?)] {
    diarized.dropLast() + names.map { ("known_speaker_names[]", $0) }
      + references.map { ("known_speaker_references[]", $0) } + [("file", nil)]
  }

  @Test func `Known speakers have the names of their recordings`() throws {
    let reference = "data:audio/wav;base64," + Data(file).base64EncodedString()
    let speakers = try labeledTranscript().segments.map(\.speaker)
    // All voices are near enough.
    let bundle = try SpeakerBundle(threshold: 2)
    let tolerant = try Model(at: bundle.path, options: OpeningOptions(threads: 1))
    let sound = try AudioBuffer(decoding: file)
    let names = try tolerant.transcribe(sound) {
      $0.language = "de"
      $0.speakers?.recordings = ["Ana": sound]
    }.result().segments.map(\.speaker)
    #expect(names.allSatisfy { $0 == "Ana" } && names.count == speakers.count)
    // The route has the threshold of the bundle, as Swift has.
    let expected = try meeting.transcribe(sound) {
      $0.language = "de"
      $0.speakers?.recordings = ["Ana": sound, "Eva": sound]
    }.result()
    let response = try post("transcriptions", known(["Ana", "Eva"], [reference, reference]))
    #expect(response.status == .ok, "\(response.text)")
    try expectSegments(try response.json()["segments"]?.array ?? [], expected)
  }

  @Test func `Known speakers without a recording each are rejected`() throws {
    let reference = Data(file).base64EncodedString()
    for (names, references, parameter) in [
      (["Ana"], [], "known_speaker_names"), ([], [reference], "known_speaker_names"),
      (["Ana", "Ana"], [reference, reference], "known_speaker_names"),
      ([""], [reference], "known_speaker_names"),
      ((0..<17).map { "\($0)" }, Array(repeating: reference, count: 17), "known_speaker_names"),
      (["Ana"], ["data:audio/wav;base64,"], "known_speaker_references"),
      (["Ana"], ["?"], "known_speaker_references"),
      (["Ana"], ["data:audio/wav," + reference], "known_speaker_references"),
    ] as [([String], [String], String)] {
      let response = try post("transcriptions", known(names, references))
      #expect(response.status == .badRequest, "\(names) \(response.text)")
      #expect(try response.json()["error"]?["param"]?.string == parameter)
    }
    let silent = Data(wave([.nan], rate: 1600, channels: 1)).base64EncodedString()
    #expect(try post("transcriptions", known(["Ana"], [silent])).status == .badRequest)
    let form: [(String, String?)] = known(["Ana"], [reference]).filter {
      $0.0 != "response_format"
    }
    let other = try post("transcriptions", form)
    #expect(other.status == .badRequest && other.text.contains("diarized_json"))
  }

  private func expectSegments(_ segments: [JSONTree], _ expected: Transcript) throws {
    #expect(segments.map { $0["text"]?.string } == expected.segments.map(\.text))
    #expect(segments.map { $0["speaker"]?.string } == expected.segments.map(\.speaker))
    #expect(segments.map { $0["start"]?.number } == expected.segments.map(\.start))
    #expect(segments.map { $0["end"]?.number } == expected.segments.map(\.end))
    #expect(segments.allSatisfy { $0["type"]?.string == "transcript.text.segment" })
    #expect(Set(segments.map { $0["id"]?.string }).count == expected.segments.count)
  }

  @Test func `A stream has the speakers after the texts`() async throws {
    let expected = try labeledTranscript()
    let response = try post("transcriptions", [("stream", "true")] + diarized)
    let events = try await events(of: response)
    let deltas = events.filter { $0["type"]?.string == "transcript.text.delta" }
    let segments = events.filter { $0["type"]?.string == "transcript.text.segment" }
    #expect(deltas.map { $0["delta"]?.string } == expected.segments.map(\.text))
    #expect(deltas.map { $0["segment_id"]?.string } == segments.map { $0["id"]?.string })
    try expectSegments(segments, expected)
    #expect(events.count == 2 * expected.segments.count + 1)
    #expect(events.last?["type"]?.string == "transcript.text.done")
  }

  /// Returns a WAV file of samples in 32 bits.
  private func wave(_ samples: [Float], rate: UInt32, channels: UInt16) -> [UInt8] {
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
      (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let data = samples.flatMap { bytes($0.bitPattern) }
    let frame = 4 * UInt32(channels)
    return Array("RIFF".utf8) + bytes(UInt32(36 + data.count)) + Array("WAVEfmt ".utf8)
      + bytes(UInt32(16)) + bytes(UInt16(3)) + bytes(channels) + bytes(rate) + bytes(rate * frame)
      + bytes(UInt16(frame)) + bytes(UInt16(32)) + Array("data".utf8)
      + bytes(UInt32(data.count)) + data
  }

  @Test func `Recordings of all kinds have speakers, or no segments`() throws {
    let tones = try AudioBuffer(decoding: file).samples.prefix(3200)
    let wide = tones.flatMap { sample in [Float](repeating: sample, count: 7 * 120) }
    for (name, samples, rate, channels) in [
      ("nothing", [], 1600, 1), ("one sample", [0.5], 1600, 1),
      ("silence", Array(repeating: 0, count: 4800), 1600, 1),
      ("no numbers", Array(repeating: .nan, count: 4800), 1600, 1),
      ("infinite", Array(repeating: .infinity, count: 4800), 1600, 1),
      ("192 kHz with 7 channels", wide, 192_000, 7),
    ] as [(String, [Float], UInt32, UInt16)] {
      var copy = self
      copy.file = wave(samples, rate: rate, channels: channels)
      let response = try copy.post("transcriptions", diarized)
      guard samples.allSatisfy(\.isFinite) else {
        #expect(response.status.code == 400, "\(name): \(response.text)")
        #expect(
          try copy.post("transcriptions", diarized.dropLast(3) + [("file", nil)]).status.code == 400
        )
        continue
      }
      #expect(response.status == .ok, "\(name): \(response.text)")
      let object = try response.json()
      let segments = object["segments"]?.array ?? []
      #expect(segments.allSatisfy { $0["speaker"]?.string?.isEmpty == false }, "\(name)")
      let seconds = Double(samples.count) / Double(channels) / Double(rate)
      #expect(abs((object["duration"]?.number ?? -1) - seconds) < 0.01, "\(name)")
      if name.hasPrefix("192") { #expect(!segments.isEmpty) }
      let events = try copy.post("transcriptions", [("stream", "true")] + diarized)
      #expect(events.status == .ok, "\(name)")
    }
  }

  @Test func `A client that leaves ends the transcript before the speakers are known`() async throws
  {
    let response = try post("transcriptions", [("stream", "true")] + diarized)
    guard case .stream(let stream) = response.content else {
      Issue.record("no stream: \(response.text)")
      return
    }
    let writer = BodyWriter(connectionID: 1, streamID: 0, try CompletionQueue())
    writer.finish(.failure(.canceled))
    await #expect(throws: (any Error).self) { try await stream.producer(writer) }
    // The model is free for the next client.
    #expect(try post("transcriptions", diarized).status == .ok)
  }

  @Test func `Speakers of a bundle without voices, and of translations, are errors`() throws {
    for (route, model) in [("transcriptions", "speech"), ("translations", "meeting")] {
      let form = [("model", model)] + diarized.dropFirst()
      let response = try post(route, form)
      #expect(response.status.code == 400, "\(response.text)")
      let error = try response.json()["error"]
      #expect(error?["param"]?.string == "response_format")
      #expect(error?["code"]?.string == "unsupported")
      #expect(error?["type"]?.string == "invalid_request_error")
    }
    let other = try post("transcriptions", [("model", "decoder-merged")] + diarized.dropFirst())
    #expect(try other.json()["error"]?["param"]?.string == "model")
  }

  @Test func `Fields that cannot be followed are errors that name them`() throws {
    let sound: [(String, String?)] = [("file", nil)]
    for (form, member) in [
      (sound, "model"), (fields, "file"), (fields + [("file", "")], "file"),
      (fields + [("language", "klingon")] + sound, nil),
      ([("model", "speech"), ("language", "klingon")] + sound, "language"),
      (fields + [("temperature", "2")] + sound, "temperature"),
      (fields + [("response_format", "diarized_json")] + sound, "response_format"),
      (fields + [("timestamp_granularities[]", "word")] + sound, "timestamp_granularities"),
      (fields + [("timestamp_granularities[]", "line")] + sound, "timestamp_granularities"),
      (fields + [("include[]", "logprobs")] + sound, "include"),
      (fields + [("chunking_strategy[type]", "server_vad")] + sound, nil),
      (fields + [("chunking_strategy", "server_vad")] + sound, "chunking_strategy"),
      ([("model", "decoder-merged")] + sound, "model"),
    ] as [([(String, String?)], String?)] {
      let response = try post("transcriptions", form)
      #expect((response.status.code == 400) == (member != nil), "\(form): \(response.text)")
      if let member { #expect(try response.json()["error"]?["param"]?.string == member) }
    }
    let unknown = try post("transcriptions", [("model", "other")] + sound)
    #expect(unknown.status.code == 404)
    let noise = try post("transcriptions", fields + [("file", "noise")])
    #expect(noise.status.code == 400, "\(noise.text)")
    let target = try #require(RequestTarget("/v1/audio/transcriptions"))
    let json = router.respond(to: HTTPRequest(id: "r1", .post, target, body: Array("{}".utf8)))
    #expect(json.status.code == 415)
  }
}
