import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// Transcripts of sound that arrives in parts, by a tiny speech model with random weights and windows of two seconds.
@Suite(.serialized, .ownThreads) struct LiveTranscriptionTests {
  private static let path = ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle")

  private let sounds: [String: [Float]]

  init() throws {
    let tree = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/speech.json"))
    var sounds: [String: [Float]] = [:]
    for name in ["tones", "clicks", "short"] {
      let samples = (tree["sounds"]?[name]?.array ?? []).compactMap(\.number)
      sounds[name] = samples.map { Float($0 / 32768) }
    }
    self.sounds = sounds
  }

  private func adjust(_ options: inout TranscriptionOptions) {
    options.language = "en"
    options.temperatures = [0]
    options.silenceThreshold = nil
  }

  @Test(arguments: ["tones", "clicks", "short"])
  func `Sound without updates has the transcript of a recording`(_ name: String) throws {
    let model = try Model(at: Self.path)
    let samples = try #require(sounds[name])
    let live = try model.liveTranscription { adjust(&$0) }
    #expect(live.sampleRate == 1600)
    for start in stride(from: 0, to: samples.count, by: 300) {
      live.append(Array(samples[start..<min(samples.count, start + 300)]))
    }
    let recording = try AudioBuffer(samples: samples, sampleRate: 1600)
    let expected = try model.transcribe(recording) { adjust(&$0) }.result()
    #expect(try live.finish() == expected)
    #expect(live.segments == expected.segments)
  }

  @Test func `A recording of one window has its transcript after updates too`() throws {
    let model = try Model(at: Self.path)
    let samples = Array(try #require(sounds["tones"]).prefix(3000))
    let live = try model.liveTranscription { adjust(&$0) }
    var texts: [String] = []
    for start in stride(from: 0, to: samples.count, by: 1000) {
      live.append(Array(samples[start..<start + 1000]))
      if let update = try live.update() {
        #expect(update.segments.isEmpty)
        #expect(update.duration == Double(start + 1000) / 1600)
        texts.append(update.partialText)
      }
    }
    #expect(texts.contains { !$0.isEmpty })
    #expect(try live.update() == nil, "there is no new sound")
    let recording = try AudioBuffer(samples: samples, sampleRate: 1600)
    #expect(
      try live.finish() == model.transcribe(recording) { adjust(&$0) }.result(),
      "no window was complete")
  }

  @Test func `Segments are final when their window is complete`() throws {
    let model = try Model(at: Self.path)
    let samples = try #require(sounds["tones"]) + (sounds["tones"] ?? [])
    let live = try model.liveTranscription { adjust(&$0) }
    var segments: [Transcript.Segment] = []
    for start in stride(from: 0, to: samples.count, by: 800) {
      live.append(Array(samples[start..<min(samples.count, start + 800)]))
      segments += try live.update(writesPartialText: false)?.segments ?? []
    }
    #expect(!segments.isEmpty)
    let transcript = try live.finish()
    #expect(transcript.segments.starts(with: segments))
    #expect(transcript.duration == Double(samples.count) / 1600)
    let starts = transcript.segments.map(\.start)
    #expect(starts == starts.sorted())
    #expect((starts.last ?? 0) > 5, "times are those of the whole sound")
    // The first window is that of the recording: its maximum is as loud as all others.
    let recording = try AudioBuffer(samples: samples, sampleRate: 1600)
    let expected = try model.transcribe(recording) { adjust(&$0) }.result()
    #expect(transcript.segments.first?.tokens == expected.segments.first?.tokens)
  }

  @Test func `Quiet sound is not transcribed again`() throws {
    let model = try Model(at: Self.path)
    let live = try model.liveTranscription { adjust(&$0) }
    live.append([Float](repeating: 0, count: 1600))
    #expect(try live.update() == nil)
    #expect(try live.update() == nil)
  }

  @Test func `Options that a model cannot follow are errors`() throws {
    let model = try Model(at: Self.path)
    #expect(throws: ModelError.self) { try model.liveTranscription { $0.language = "xx" } }
    #expect(throws: ModelError.self) { try model.liveTranscription { $0.sections = [] } }
  }

  // MARK: The command line

  private func wave(_ name: String) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.wav"
    try AudioBuffer(samples: sounds[name] ?? [], sampleRate: 1600).write(to: path)
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func run(_ words: [String], on input: [UInt8]) -> CommandResult {
    var console = TestConsole()
    console.input = input
    return console.run(["transcribe", Self.path] + words)
  }

  @Test func `A pipe is transcribed like a file`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.wav"
    try Data(wave("short")).write(to: URL(filePath: path))
    let piped = run(["-", "--language", "en"], on: try wave("short"))
    let file = TestConsole.run(["transcribe", Self.path, path, "--language", "en"])
    #expect(piped.exitCode == 0, "\(piped.messages)")
    #expect(piped.output == file.output)
  }

  @Test func `Partial results are lines of JSON`() throws {
    let run = run(["-", "--language", "en", "--partial"], on: try wave("tones"))
    #expect(run.exitCode == 0, "\(run.messages)")
    let lines = try run.output.split(separator: "\n").map { try JSONTree(String($0)) }
    let types = lines.compactMap { $0["type"]?.string }
    #expect(types.count == lines.count)
    #expect(types.contains("segment") && types.last == "transcript")
    #expect(lines.last?["duration"]?.number == 5)
    let text = lines.filter { $0["type"]?.string == "segment" }.compactMap { $0["text"]?.string }
    #expect(text.joined() == lines.last?["text"]?.string)
  }

  @Test func `Partial results are those of one recording, without another format`() throws {
    for options in [["--format", "srt"], ["-o", "x"], ["b.wav"], ["--activity", "x"]] {
      let run = TestConsole.run(["transcribe", Self.path, "-", "--partial"] + options)
      #expect(run.exitCode == 2, "\(options)")
    }
    let broken = run(["-"], on: Array("no sound".utf8))
    #expect(broken.exitCode == 4, "\(broken.messages)")
  }
}
