import Foundation
import TensorIO
import TensorIOServer
import TensorIOTestSupport
import Testing

@testable import TensorIOStudio

/// Transcripts of sound that a client sends while it records it.
@Suite(.ownThreads, .hangGuard) struct StudioTranscriptTests {
  private static let path = ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle")
  private let tones: [Int16]

  init() throws {
    let tree = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/speech.json"))
    tones = (tree["sounds"]?["tones"]?.array ?? []).compactMap(\.number).map { Int16($0) }
  }

  private func harness(
    _ limits: StudioTranscripts.Limits = StudioTranscripts.Limits()
  ) throws -> StudioHarness {
    try StudioHarness([Self.path, StudioHarness.bundle("digits")], transcriptLimits: limits)
  }

  /// Creates a transcript; returns its identifier.
  private func create(
    in harness: StudioHarness, _ members: String = #""sample_rate": 1600"#
  ) throws -> String {
    let created = try harness.post("/transcripts", #"{"model": "speech", \#(members)}"#)
    #expect(created.status == .created, "\(created.text)")
    return try #require(created.json()["id"]?.string)
  }

  private static func bytes(_ samples: some Sequence<Int16>) -> [UInt8] {
    samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  /// The sound in floats, little-endian.
  private static func floats(_ samples: some Sequence<Int16>) -> [UInt8] {
    samples.flatMap { sample in
      let bits = (Float(sample) / 32768).bitPattern
      return (0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
    }
  }

  /// Sends sound in pieces; returns the responses.
  @discardableResult
  private func send(
    _ bytes: [UInt8], to id: String, in harness: StudioHarness, pieceSize: Int, from start: Int = 0
  ) throws -> [JSONTree] {
    var (updates, count) = ([JSONTree](), 0)
    for offset in stride(from: 0, to: bytes.count, by: pieceSize) {
      let piece = Array(bytes[offset..<min(bytes.count, offset + pieceSize)])
      let path = "/transcripts/\(id)/sound?offset=\(start + offset)&segments=\(count)"
      let response = try harness.send(.post, path, body: piece)
      #expect(response.status == .ok, "\(response.text)")
      updates.append(try response.json())
      count += updates.last?["segments"]?.array?.count ?? 0
    }
    return updates
  }

  private func finish(_ id: String, in harness: StudioHarness) throws -> JSONTree {
    let response = try harness.post("/transcripts/\(id)/finish", "")
    #expect(response.status == .ok, "\(response.text)")
    return try #require(response.json()["outputs"]?["transcript"])
  }

  // MARK: Hearing

  @Test(arguments: ["s16le", "f32le"])
  func `Texts are written while sound arrives, and the transcript is that of the library`(
    _ encoding: String
  ) throws {
    let harness = try harness()
    let live = try Model(at: Self.path).liveTranscription()
    var expected: [LiveTranscription.Update?] = []
    for start in stride(from: 0, to: tones.count, by: 1000) {
      live.append(tones[start..<min(tones.count, start + 1000)].map { Float($0) / 32768 })
      expected.append(try live.update())
    }
    let id = try create(in: harness, #""sample_rate": 1600, "encoding": "\#(encoding)""#)
    let isFloat = encoding == "f32le"
    let bytes = isFloat ? Self.floats(tones) : Self.bytes(tones)
    let updates = try send(bytes, to: id, in: harness, pieceSize: isFloat ? 4000 : 2000)
    #expect(updates.count == expected.count)
    var text = ""
    for (update, expected) in zip(updates, expected) {
      text = expected?.partialText ?? text
      #expect(update["partial_text"]?.string == text)
      let starts = update["segments"]?.array?.compactMap { $0["start"]?.number }
      #expect(starts == expected?.segments.map(\.start) ?? [])
    }
    #expect(updates.contains { $0["partial_text"]?.string?.isEmpty == false })
    #expect(updates.contains { $0["segments"]?.array?.isEmpty == false })
    #expect(updates.last?["duration"]?.number == Double(tones.count) / 1600)
    #expect(updates.last?["received"]?.number == Double(bytes.count))
    // All segments, for a client that has none.
    let all = try harness.json("/transcripts/\(id)")["segments"]?.array
    #expect(all?.count == live.segments.count)
    let transcript = try finish(id, in: harness)
    let whole = try live.finish()
    #expect(transcript["text"]?.string == whole.text)
    #expect(transcript["duration"]?.number == whole.duration)
    #expect(
      transcript["segments"]?.array?.compactMap { $0["text"]?.string }
        == whole.segments.map(\.text))
    // A client that has not received the response asks again.
    #expect(try finish(id, in: harness) == transcript)
    let late = try harness.send(
      .post, "/transcripts/\(id)/sound?offset=\(bytes.count)", body: [0, 0])
    #expect(late.status == .conflict && late.code == "finished")
    #expect(try harness.send(.delete, "/transcripts/\(id)").status == .noContent)
    #expect(try harness.get("/transcripts/\(id)").status == .notFound)
  }

  @Test func `Pieces may divide samples, and sound of another rate is converted`() throws {
    let harness = try harness()
    let bytes = Self.bytes(tones.prefix(3000).flatMap { [$0, $0, $0] })
    let transcripts = try [bytes.count, 2401, 999].map { size in
      let id = try create(in: harness, #""sample_rate": 4800"#)
      try send(bytes, to: id, in: harness, pieceSize: size)
      return try finish(id, in: harness)
    }
    #expect(transcripts[0]["duration"]?.number == 3000.0 / 1600)
    #expect(transcripts[1] == transcripts[0] && transcripts[2] == transcripts[0])
  }

  @Test func `Two transcripts of one model do not disturb each other`() async throws {
    let harness = try harness()
    let (tones, clicks) = (Self.bytes(tones), Self.bytes(tones.reversed()))
    func transcript(of bytes: [UInt8]) throws -> JSONTree {
      let id = try create(in: harness)
      try send(bytes, to: id, in: harness, pieceSize: 2000)
      return try finish(id, in: harness)
    }
    let alone = try [transcript(of: tones), transcript(of: clicks)]
    let together = try await withThrowingTaskGroup(of: (Int, JSONTree).self) { group in
      for (index, bytes) in [tones, clicks].enumerated() {
        group.addTask { (index, try transcript(of: bytes)) }
      }
      return try await group.reduce(into: [Int: JSONTree]()) { $0[$1.0] = $1.1 }
    }
    #expect(together[0] == alone[0] && together[1] == alone[1])
    #expect(alone[0] != alone[1])
  }

  @Test func `Sound that arrives while the model works is not lost`() async throws {
    let harness = try harness()
    let id = try create(in: harness)
    let transcript = try harness.studio.transcripts.transcript(id)
    let bytes = Self.bytes(tones + tones + tones)
    // Another thread lets the model hear whatever has arrived.
    let hearing = Task.detached { while !Task.isCancelled { try transcript.update() } }
    try send(bytes, to: id, in: harness, pieceSize: 500)
    hearing.cancel()
    try await hearing.value
    let status = try harness.json("/transcripts/\(id)")
    #expect(status["received"]?.number == Double(bytes.count))
    let whole = try finish(id, in: harness)
    #expect(whole["duration"]?.number == Double(bytes.count) / 3200)
    let segments = try #require(whole["segments"]?.array)
    let starts = segments.compactMap { $0["start"]?.number }
    #expect(starts == starts.sorted() && (starts.last ?? 0) > 10)
    #expect(try harness.json("/transcripts/\(id)")["segments"]?.array == segments)
  }

  // MARK: Errors and limits

  @Test func `Requests are checked`() throws {
    let harness = try harness()
    for body in [
      "[", "{}", #"{"model": "speech"}"#, #"{"model": "speech", "sample_rate": 0}"#,
      #"{"model": "speech", "sample_rate": 1600, "encoding": "mp3"}"#,
      #"{"model": "speech", "sample_rate": 1600, "encoding": 1}"#,
    ] {
      #expect(try harness.post("/transcripts", body).status == .badRequest, "\(body)")
    }
    let unknown = try harness.post("/transcripts", #"{"model": "none", "sample_rate": 1600}"#)
    #expect(unknown.status == .notFound)
    let image = try harness.post("/transcripts", #"{"model": "digits", "sample_rate": 1600}"#)
    #expect(image.status == .unprocessableContent && image.code == "unsupported")
    let id = try create(in: harness)
    #expect(try harness.post("/transcripts/\(id)/sound", "xx").status == .badRequest)
    #expect(try harness.post("/transcripts/\(id)/sound?offset=0", "").status == .badRequest)
    #expect(try harness.post("/transcripts/\(id)/sound?offset=2", "xx").code == "wrong-offset")
    let index = try harness.post("/transcripts/\(id)/sound?offset=0&segments=-1", "xx")
    #expect(index.status == .badRequest)
    #expect(try harness.json("/transcripts/\(id)")["received"]?.number == 0)
    for path in ["/sound?offset=0", "/finish"] {
      #expect(try harness.post("/transcripts/0123\(path)", "xx").status == .notFound)
    }
    #expect(try harness.send(.delete, "/transcripts/0123").status == .notFound)
    // Without any sound, there is a transcript without text.
    #expect(try finish(id, in: harness)["text"]?.string == "")
  }

  @Test func `The sound and the number of transcripts are limited`() throws {
    var limits = StudioTranscripts.Limits()
    (limits.maxStored, limits.sound.maxDuration) = (2, .seconds(2))
    let full = try harness(limits)
    let id = try create(in: full)
    try send(Self.bytes(tones.prefix(3200)), to: id, in: full, pieceSize: 3200)
    let long = try full.post("/transcripts/\(id)/sound?offset=6400", "xx")
    #expect(long.status == .contentTooLarge && long.code == "sound-too-long")
    _ = try create(in: full)
    let third = try full.post("/transcripts", #"{"model": "speech", "sample_rate": 1600}"#)
    #expect(third.status == .tooManyRequests && third.code == "too-many-transcripts")
    #expect(try full.send(.delete, "/transcripts/\(id)").status == .noContent)
    _ = try create(in: full)
    // A transcript whose client is gone is evicted.
    limits.idleTimeout = .zero
    let left = try harness(limits)
    let ids = try (0..<3).map { _ in try create(in: left) }
    #expect(try left.get("/transcripts/\(ids[0])").status == .notFound)
    #expect(try left.get("/transcripts/\(ids[1])").status == .ok)
    #expect(left.studio.transcripts.count == 2)
    left.studio.close()
    #expect(left.studio.transcripts.count == 0)
  }

  @Test func `Sound that waits for a slow model is limited, and is sent again`() throws {
    var limits = StudioTranscripts.Limits()
    limits.sound.maxWaitingDuration = .seconds(1)
    let harness = try harness(limits)
    let id = try create(in: harness)
    let transcript = try harness.studio.transcripts.transcript(id)
    let piece = Self.bytes(tones.prefix(1700))
    try transcript.append(piece, at: 0)
    let path = "/transcripts/\(id)/sound?offset=\(piece.count)"
    let rejected = try harness.send(.post, path, body: piece)
    #expect(rejected.status == .tooManyRequests && rejected.code == "overloaded")
    #expect(rejected.headers["Retry-After"] != nil)
    try transcript.update()
    #expect(try harness.send(.post, path, body: piece).status == .ok)
    #expect(try finish(id, in: harness)["duration"]?.number == 3400.0 / 1600)
  }

  @Test func `Deleting a transcript ends the work of the model`() throws {
    let harness = try harness()
    let id = try create(in: harness)
    let transcript = try harness.studio.transcripts.transcript(id)
    #expect(try harness.send(.delete, "/transcripts/\(id)").status == .noContent)
    try transcript.append(Self.bytes(tones), at: 0)
    #expect(throws: ClientError.self) { try transcript.update() }
    #expect(throws: ClientError.self) { try transcript.finish() }
  }
}
