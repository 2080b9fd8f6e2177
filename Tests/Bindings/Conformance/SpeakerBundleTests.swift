import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Transcripts of a bundle that contains a model of voices, with the tiny models of the fixtures.
@Suite(.serialized, .ownThreads) struct SpeakerBundleTests {
  private let sounds: [String: AudioBuffer]
  private let talk: AudioBuffer

  init() throws {
    let tree = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/voices.json"))
    var sounds: [String: AudioBuffer] = [:]
    var samples: [Float] = []
    for one in tree["speakers"]?.array ?? [] {
      let voice = (one["samples"]?.array ?? []).compactMap(\.number).map { Float($0 / 32768) }
      sounds[one["name"]?.string ?? ""] = try AudioBuffer(samples: voice, sampleRate: 1600)
      samples += voice
    }
    self.sounds = sounds
    talk = try AudioBuffer(samples: samples, sampleRate: 1600)
  }

  /// Returns the transcript that names the speakers with a bundle of its own.
  private func expected() throws -> Transcript {
    let bundles = ProjectFiles.path("Tests/Fixtures/Bundles")
    let model = try Model(at: bundles + "/speech.tiobundle")
    let plain = try model.transcribe(talk).result()
    #expect(plain.segments.count > 1 && plain.segments.allSatisfy { $0.speaker == nil })
    return try plain.labelingSpeakers(in: talk, with: Model(at: bundles + "/speaker.tiobundle"))
  }

  @Test(arguments: [nil, Isolation.Level.process] as [Isolation.Level?])
  func `Each run names the speakers`(_ level: Isolation.Level?) throws {
    let bundle = try SpeakerBundle()
    let options = OpeningOptions(isolation: level.map { Isolation(level: $0) })
    let model = try Model(at: bundle.path, options: options)
    let expected = try expected()
    #expect(expected.segments.allSatisfy { $0.speaker?.hasPrefix("Speaker ") == true })
    #expect(try model.run(talk).transcript == expected)
    let transcription = try model.transcribe(talk)
    while let segment = try transcription.next() { #expect(segment.speaker == nil) }
    #expect(try transcription.result() == expected)
    let samples = ModelInput.value(.numbers(Numbers(.floats(talk.samples))))
    #expect(try model.run(samples).transcript == expected)
  }

  @Test func `Options change the speakers, or leave them out`() throws {
    let bundle = try SpeakerBundle()
    let model = try Model(at: bundle.path)
    let one = try model.transcribe(talk) { $0.speakers?.minSimilarity = -1 }.result()
    #expect(Set(one.segments.map(\.speaker)) == ["Speaker 1"])
    let none = try model.transcribe(talk) { $0.speakers = nil }.result()
    #expect(!none.segments.isEmpty && none.segments.allSatisfy { $0.speaker == nil })
    for json in [#"{"label_speakers": false}"#, #"{"speaker_similarity": 0.9}"#] {
      let options = try TranscriptionOptions(for: model, parsing: json)
      #expect(options.speakers?.minSimilarity == (json.contains("false") ? nil : 0.9))
    }
    let silent = try SpeakerBundle(settings: ["label_speakers": false])
    #expect(
      try Model(at: silent.path).run(talk).transcript.segments.allSatisfy { $0.speaker == nil })
    for similarity in [-2, 1.5, .nan] {
      let error = #expect(throws: ModelError.self) {
        try model.transcribe(talk) { $0.speakers?.minSimilarity = similarity }
      }
      #expect(error?.stage == .input)
    }
  }

  @Test func `A bundle without a model of voices names no speakers`() throws {
    let model = try Model(at: ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle"))
    for adjust in [
      { $0.speakers = SpeakerOptions() },
      { $0 = try TranscriptionOptions(for: model, parsing: #"{"label_speakers": true}"#) },
    ] as [(inout TranscriptionOptions) throws -> Void] {
      var options = TranscriptionOptions()
      try adjust(&options)
      let error = #expect(throws: ModelError.self) { try model.transcribe(talk) { $0 = options } }
      #expect(error?.stage == .input && error?.message.contains("speakers") == true)
      #expect(throws: ModelError.self) { try model.liveTranscription { $0 = options } }
    }
    let missing = try SpeakerBundle(function: "voice")
    let error = #expect(throws: ModelError.self) { try Model(at: missing.path) }
    #expect(error?.message.contains("no function 'voice'") == true, "\(String(describing: error))")
    let other = try SpeakerBundle(function: "encode")
    #expect(throws: ModelError.self, "the encoder makes no vectors of voices") {
      try Model(at: other.path)
    }
  }

  @Test func `Live sound has speakers at its end`() throws {
    let bundle = try SpeakerBundle()
    let model = try Model(at: bundle.path)
    func adjust(_ options: inout TranscriptionOptions) {
      (options.language, options.temperatures) = ("en", [0])
      options.silenceThreshold = nil
    }
    let live = try model.liveTranscription(adjust)
    live.append(talk.samples)
    let recording = try model.transcribe(talk, adjust).result()
    #expect(try live.finish() == recording)
    #expect(live.segments == recording.segments)
    // With updates, segments lose their sound when their window is complete.
    let parts = try model.liveTranscription(adjust)
    for start in stride(from: 0, to: talk.samples.count, by: 700) {
      parts.append(Array(talk.samples[start..<min(start + 700, talk.samples.count)]))
      let update = try parts.update(writesPartialText: false)
      #expect(update?.segments.allSatisfy { $0.speaker == nil } ?? true)
    }
    let transcript = try parts.finish()
    #expect(transcript.segments.count > 1)
    #expect(transcript.segments.allSatisfy { $0.speaker != nil })
    let plain = try model.liveTranscription {
      adjust(&$0)
      $0.speakers = nil
    }
    plain.append(talk.samples)
    #expect(try plain.finish().segments.allSatisfy { $0.speaker == nil })
  }

  @Test func `Speakers have the names of recordings`() throws {
    let bundle = try SpeakerBundle(threshold: 0.5)
    let model = try Model(at: bundle.path)
    let low = try #require(sounds["low-1"])
    let named = try model.transcribe(low) {
      $0.speakers?.recordings = ["Ada": low]
      $0.speakers?.gallery = InMemoryGallery()
    }.result()
    #expect(!named.segments.isEmpty && named.segments.allSatisfy { $0.speaker == "Ada" })
    for samples in [[], [.nan]] as [[Float]] {
      let sound = try AudioBuffer(samples: samples, sampleRate: 1600)
      let error = #expect(throws: ModelError.self) {
        try model.transcribe(low) { $0.speakers?.recordings = ["Bob": sound] }
      }
      #expect(error?.stage == .input && error?.message.contains("'Bob'") == true)
    }
  }

  @Test func `Speakers have the names of a gallery`() throws {
    let bundle = try SpeakerBundle(threshold: 0.5)
    let model = try Model(at: bundle.path)
    let voices = try #require(model.functions["voices"])
    var gallery = InMemoryGallery()
    let low = try #require(sounds["low-1"])
    gallery.enroll(try voices.run(low).embedding, as: "Ada")
    let named = try model.transcribe(low) { $0.speakers?.gallery = gallery }.result()
    #expect(!named.segments.isEmpty && named.segments.allSatisfy { $0.speaker == "Ada" })
    // Without a voice that is near enough, numbers remain.
    var stranger = InMemoryGallery()
    stranger.enroll(Embedding(try voices.run(low).embedding.values.map { -$0 }), as: "Bob")
    let numbered = try model.transcribe(low) { $0.speakers?.gallery = stranger }.result()
    #expect(numbered.segments.first?.speaker == "Speaker 1")
    let wrong = InMemoryGallery().enrolling(Embedding([1]), as: "Eve")
    #expect(throws: ModelError.self, "vectors of another length") {
      try model.transcribe(low) { $0.speakers?.gallery = wrong }.result()
    }
  }

  // MARK: The command line

  @Test func `Commands name the speakers of a bundle and of its gallery`() throws {
    let bundle = try SpeakerBundle(threshold: 0.5)
    let folder = try TemporaryFolder()
    let path = folder.path + "/low.wav"
    try #require(sounds["low-1"]).write(to: path)
    let gallery = ["--gallery", folder.path + "/voices.sqlite"]
    let enrolled = TestConsole.run(
      ["gallery", "enroll", "Ada", path, "--bundle", bundle.path] + gallery)
    #expect(enrolled.exitCode == 0, "\(enrolled)")
    for (words, name) in [([], "Speaker 1"), (gallery, "Ada")] as [([String], String)] {
      let text = TestConsole.run(["transcribe", bundle.path, path] + words)
      #expect(text.exitCode == 0, "\(text)")
      #expect(text.output.hasPrefix("\(name): "), "\(text)")
      let run = TestConsole.run(["run", bundle.path, path, "--format", "json"] + words)
      let segments = try run.json()["outputs"]?["transcript"]?["segments"]?.array ?? []
      #expect(segments.first?["speaker"]?.string == name, "\(run)")
    }
    let separate = TestConsole.run(
      ["transcribe", ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle"), path] + gallery)
    #expect(separate.exitCode == 2, "the bundle makes no vectors: \(separate)")
    var console = TestConsole()
    console.input = Array(try Data(contentsOf: URL(filePath: path)))
    let live = console.run(["transcribe", bundle.path, "-", "--partial"])
    let last = try JSONTree(String(live.output.split(separator: "\n").last ?? ""))
    #expect(last["speakers"]?.array?.first?.string == "Speaker 1", "\(live)")
  }
}

extension InMemoryGallery {
  fileprivate func enrolling(_ embedding: Embedding, as name: String) -> InMemoryGallery {
    var gallery = self
    gallery.enroll(embedding, as: name)
    return gallery
  }
}
