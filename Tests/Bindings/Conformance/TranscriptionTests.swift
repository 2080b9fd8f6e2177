import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// Transcripts of a tiny speech model with random weights, written by `Scripts/fixtures/onnx-models/speech.py`.
@Suite(.serialized, .ownThreads) struct TranscriptionTests {
  private static let path = ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle")
  private static let levels: [Isolation.Level?] = [nil, .process, .sandbox]

  private struct Golden {
    let sound: AudioBuffer
    let language: String
    let beams: Int
    let segments: [JSONTree]
  }

  /// The transcripts without and with a search.
  private let golden: [Golden]
  private let found: [Golden]

  init() throws {
    let tree = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/speech.json"))
    let all = try (tree["transcripts"]?.array ?? []).map { one in
      let name = one["sound"]?.string ?? ""
      let samples = (tree["sounds"]?[name]?.array ?? []).compactMap(\.number)
      return Golden(
        sound: try AudioBuffer(samples: samples.map { Float($0 / 32768) }, sampleRate: 1600),
        language: one["language"]?.string ?? "", beams: Int(one["beams"]?.number ?? 0),
        segments: one["segments"]?.array ?? [])
    }
    (golden, found) = (all.filter { $0.beams == 1 }, all.filter { $0.beams > 1 })
  }

  private func model(_ level: Isolation.Level? = nil) throws -> Model {
    let isolation = level.map { Isolation(level: $0) }
    return try Model(at: Self.path, options: OpeningOptions(isolation: isolation))
  }

  /// The golden transcripts are those of one try, and silence has no meaning with random weights.
  private func adjust(_ options: inout TranscriptionOptions, _ language: String = "en") {
    options.language = language
    options.temperatures = [0]
    options.silenceThreshold = nil
  }

  // MARK: Transcripts

  @Test(arguments: levels)
  func `Transcripts are those of numpy`(_ level: Isolation.Level?) throws {
    let model = try model(level)
    #expect(golden.count == 6 && found.count == 6)
    #expect(zip(golden, found).contains { $0.segments != $1.segments })
    for golden in golden + found {
      let transcript = try model.transcribe(golden.sound) {
        adjust(&$0, golden.language)
        $0.beams = golden.beams
      }.result()
      #expect(transcript.segments.count == golden.segments.count)
      for (segment, expected) in zip(transcript.segments, golden.segments) {
        #expect(segment.tokens.map(Double.init) == expected["tokens"]?.array?.compactMap(\.number))
        #expect(segment.text == expected["text"]?.string)
        for (value, name) in [
          (segment.start, "start"), (segment.end, "end"), (Double(segment.seek), "seek"),
          (segment.averageLogProbability, "mean"), (segment.silenceProbability, "silence"),
        ] {
          #expect(abs(value - (expected[name]?.number ?? .nan)) < 1e-4, "\(name)")
        }
      }
      #expect(transcript.text == transcript.segments.map(\.text).joined())
      #expect(transcript.language == golden.language)
      #expect(transcript.duration == golden.sound.duration)
    }
  }

  @Test(arguments: levels)
  func `Words cover the text in order`(_ level: Isolation.Level?) throws {
    let local = try model().transcribe(golden[0].sound) {
      adjust(&$0)
      $0.hasWords = true
    }.result()
    let transcript = try model(level).transcribe(golden[0].sound) {
      adjust(&$0)
      $0.hasWords = true
    }.result()
    #expect(transcript == local)
    #expect(!transcript.segments.isEmpty)
    // A character whose bytes are in two segments is a word of the first one.
    let words = transcript.segments.flatMap(\.words)
    #expect(words.map { $0.text.filter(\.isASCII) }.joined() == transcript.text.filter(\.isASCII))
    #expect(words.allSatisfy { $0.start <= $0.end && (0...1).contains($0.probability) })
    for segment in transcript.segments {
      #expect(zip(segment.words, segment.words.dropFirst()).allSatisfy { $0.start <= $1.start })
    }
  }

  @Test func `Segments arrive one after another`() async throws {
    let transcription = try model().transcribe(golden[0].sound) { adjust(&$0) }
    var segments: [Transcript.Segment] = []
    for try await segment in transcription {
      segments.append(segment)
      #expect(transcription.partialResult.segments.starts(with: segments))
    }
    #expect(segments == transcription.partialResult.segments)
    #expect(segments.count == golden[0].segments.count)
  }

  @Test func `A canceled transcription ends with what it has`() throws {
    let transcription = try model().transcribe(golden[0].sound) { adjust(&$0) }
    #expect(try transcription.next() != nil)
    transcription.cancel()
    let error = #expect(throws: ModelError.self) { while try transcription.next() != nil {} }
    #expect(error.map { ModelError.cancelled ~= $0 } == true)
    #expect(!transcription.partialResult.segments.isEmpty)
  }

  @Test func `A run returns the transcript, and the same as text`() throws {
    let output = try model().run(golden[1].sound)
    let transcript = try output.transcript
    let text: String = try output.value(of: "transcript")
    #expect(text == transcript.text)
    #expect(["en", "de"].contains(transcript.language), "the language is detected")
  }

  // MARK: Options

  @Test func `A prompt and a translation change the tokens before the text`() throws {
    let model = try model()
    let plain = try model.transcribe(golden[0].sound) { adjust(&$0) }.result()
    let prompted = try model.transcribe(golden[0].sound) {
      adjust(&$0)
      $0.prompt = "Names: Ada"
    }.result()
    let translated = try model.transcribe(golden[0].sound) {
      adjust(&$0)
      $0.translates = true
    }.result()
    #expect(Set([plain.text, prompted.text, translated.text]).count == 3)
  }

  @Test func `A text that is improbable at each temperature is that of the last one`() throws {
    let transcript = try model().transcribe(golden[4].sound) {
      adjust(&$0)
      ($0.temperatures, $0.minLogProbability) = ([0, 0.5], 0)
    }.result()
    #expect(transcript.segments.allSatisfy { $0.temperature == 0.5 })
    let silent = try model().transcribe(golden[4].sound) {
      adjust(&$0)
      ($0.silenceThreshold, $0.minLogProbability) = (0, 0)
    }.result()
    #expect(silent.segments.isEmpty)
  }

  @Test func `Options that the model cannot follow are errors`() throws {
    let model = try model()
    for adjust: (inout TranscriptionOptions) -> Void in [
      { $0.language = "xx" }, { $0.beams = 0 }, { $0.beams = 65 }, { $0.temperatures = [] },
      { $0.temperatures = [-1] },
      { $0.temperatures = [.nan] },
    ] {
      let error = #expect(throws: ModelError.self) { try model.transcribe(golden[0].sound, adjust) }
      #expect(error?.stage == .input)
    }
    let other = try Model(at: ProjectFiles.path("Tests/Fixtures/Bundles/captions.tiobundle"))
    #expect(throws: ModelError.self) { try other.transcribe(golden[0].sound) }
    #expect(throws: ModelError.self) { try model.run("text") }
  }

  // MARK: Sound

  @Test(arguments: [0, 1, 15, 16, 19, 40, 3199, 3200, 3201])
  func `Sound of any length is transcribed`(_ count: Int) throws {
    let sound = try AudioBuffer(samples: [Float](repeating: 0.1, count: count), sampleRate: 1600)
    let transcript = try model().transcribe(sound) { adjust(&$0) }.result()
    #expect(transcript.duration == Double(count) / 1600)
    #expect(transcript.segments.allSatisfy { $0.end <= 4.1 })
  }

  @Test func `Sound of another rate with several channels is converted`() throws {
    let samples = (0..<48_000 * 7).map { Float(sin(Double($0 / 7) / 30)) }
    let sound = try AudioBuffer(samples: samples, sampleRate: 48_000, channelCount: 7)
    let transcript = try model().transcribe(sound) { adjust(&$0) }.result()
    #expect(transcript.duration == 1)
  }

  @Test func `Samples that are no numbers are an error, not an endless text`() throws {
    let sound = try AudioBuffer(
      samples: [Float](repeating: .nan, count: 1600), sampleRate: 1600)
    #expect(throws: ModelError.self) { try model().transcribe(sound) { adjust(&$0) }.result() }
  }

  // MARK: Folders and the command line

  @Test func `A folder of a speech model becomes the bundle`() throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    try files.createDirectory(atPath: folder.path + "/hub/onnx", withIntermediateDirectories: true)
    for (source, target) in [
      ("encoder.onnx", "onnx/encoder_model.onnx"), ("model.onnx", "onnx/decoder_model_merged.onnx"),
      ("assets/tokenizer.json", "tokenizer.json"),
    ] {
      try files.copyItem(
        atPath: "\(Self.path)/\(source)", toPath: "\(folder.path)/hub/\(target)")
    }
    try folder.write(
      #"""
      {"model_type": "whisper", "decoder_layers": 1, "decoder_attention_heads": 1, "max_target_positions": 48,
       "num_mel_bins": 8, "vocab_size": 367}
      """#, to: "hub/config.json")
    try folder.write(
      #"""
      {"decoder_start_token_id": 256, "eos_token_id": 257, "no_timestamps_token_id": 265, "is_multilingual": true,
       "lang_to_id": {"<|en|>": 258, "<|de|>": 259}, "task_to_id": {"translate": 260, "transcribe": 261},
       "suppress_tokens": [7, 34, 256, 263, 264, 258, 259, 260, 261, 262], "begin_suppress_tokens": [32, 257],
       "max_initial_timestamp_index": 1}
      """#, to: "hub/generation_config.json")
    try folder.write(
      #"""
      {"feature_extractor_type": "WhisperFeatureExtractor", "sampling_rate": 1600, "n_fft": 40, "hop_length": 16,
       "feature_size": 8, "nb_max_frames": 200}
      """#, to: "hub/preprocessor_config.json")
    let made = TestConsole.run([
      "init", folder.path + "/hub", "-o", folder.path + "/b.tiobundle",
    ])
    #expect(made.exitCode == 0, "\(made.messages)")
    #expect(made.output.contains("the original program has 50"), "\(made.output)")
    let model = try Model(at: folder.path + "/b.tiobundle")
    let expected = try self.model()
    for golden in golden {
      let transcript = try model.transcribe(golden.sound) {
        adjust(&$0, golden.language)
        $0.hasWords = true
      }.result()
      let reference = try expected.transcribe(golden.sound) {
        adjust(&$0, golden.language)
        $0.hasWords = true
      }.result()
      #expect(transcript == reference)
    }
  }

  @Test func `The command writes text, subtitles and JSON`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/tones.wav"
    try golden[0].sound.write(to: path)
    let options = ["transcribe", Self.path, path, "--language", "en"]
    let json = TestConsole.run(options + ["--format", "json", "--words"])
    #expect(json.exitCode == 0, "\(json.messages)")
    let segments = try #require(json.json()["segments"]?.array)
    #expect(!segments.isEmpty)
    #expect(segments.contains { $0["words"]?.array?.isEmpty == false })
    let text = TestConsole.run(options)
    let lines = text.output.split(separator: "\n").count
    #expect(text.exitCode == 0 && lines >= 1)
    let files = TestConsole.run(options + ["--format", "srt", "-o", folder.path + "/a/b"])
    #expect(files.exitCode == 0, "\(files.messages)")
    let subtitles = try String(contentsOfFile: folder.path + "/a/b/tones.srt", encoding: .utf8)
    #expect(subtitles.hasPrefix("1\n00:00:0"))
    #expect(subtitles.contains(" --> "))
  }

  @Test func `The command rejects what it cannot do`() throws {
    let folder = try TemporaryFolder()
    try golden[0].sound.write(to: folder.path + "/a.wav")
    let (file, missing) = (folder.path + "/a.wav", folder.path + "/b.wav")
    for (options, code) in [
      ([Self.path], 2), ([], 2), ([Self.path, file, file, "--format", "srt"], 2),
      ([Self.path, file, file, "-o", folder.path], 2), ([Self.path, missing], 4),
      ([Self.path, file, "--language", "klingon"], 4),
      ([ProjectFiles.path("Tests/Fixtures/Bundles/captions.tiobundle"), file], 6),
    ] as [([String], Int32)] {
      let run = TestConsole.run(["transcribe"] + options)
      #expect(run.exitCode == code, "\(options): \(run.messages)")
    }
    let partial = TestConsole.run(["transcribe", Self.path, file, missing])
    #expect(partial.exitCode == 1)
  }
}
