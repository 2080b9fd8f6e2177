import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// Sounds of tiny voices with random weights, written by `Scripts/fixtures/onnx-models/voices.py`.
@Suite(.serialized, .ownThreads) struct SpeechTests {
  private static let path = ProjectFiles.path("Tests/Fixtures/Bundles/voice.tiobundle")
  private static let levels: [Isolation.Level?] = [nil, .process, .sandbox]
  private let golden: JSONTree

  init() throws {
    golden = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/voices.json"))
  }

  private func model(_ level: Isolation.Level? = nil) throws -> Model {
    try Model(
      at: Self.path, options: OpeningOptions(isolation: level.map { Isolation(level: $0) }))
  }

  private func expect(_ samples: [Float], like expected: JSONTree?) {
    let numbers = expected?.array?.compactMap(\.number) ?? []
    #expect(samples.count == numbers.count && !numbers.isEmpty)
    let difference = zip(samples, numbers).map { abs(Double($0) - $1) }.max() ?? 1
    #expect(difference < 2e-6)
  }

  // MARK: Sound

  @Test(arguments: levels)
  func `Sounds are those of numpy`(_ level: Isolation.Level?) throws {
    let model = try model(level)
    let cases = try #require(golden["spoken"]?.array)
    #expect(cases.count == 4)
    for one in cases {
      let speech = try model.speak(one["text"]?.string ?? "") { options in
        options.voice = one["voice"]?.string
        options.speed = one["speed"]?.number ?? 1
      }.result()
      let sentences = try #require(one["sentences"]?.array)
      #expect(speech.sentences.count == sentences.count)
      for (sentence, expected) in zip(speech.sentences, sentences) {
        #expect(sentence.text == expected["text"]?.string)
        #expect(sentence.phonemes == expected["phonemes"]?.string)
        expect(sentence.samples, like: expected["samples"])
      }
      #expect(speech.missingSymbols.isEmpty && speech.notes.isEmpty)
    }
    #expect(model.voices == ["anna", "bert"])
  }

  @Test func `Sentences follow each other after a pause`() async throws {
    let model = try model()
    let text = "Hello. World! Cat."
    let speech = try model.speak(text)
    var sentences: [Speech.Sentence] = []
    for try await sentence in speech { sentences.append(sentence) }
    #expect(sentences.map(\.text) == ["Hello.", "World!", "Cat."])
    for (sentence, next) in zip(sentences, sentences.dropFirst()) {
      #expect(abs(next.start - sentence.end - 0.01) < 1e-9)
    }
    let whole = try speech.partialResult.audio
    #expect(whole.duration == sentences.last?.end && whole.sampleRate == 1600)
    for sentence in sentences {
      let start = Int((sentence.start * 1600).rounded())
      #expect(Array(whole.samples[start..<start + sentence.samples.count]) == sentence.samples)
    }
    let close = try model.speak(text) { $0.pause = 0 }.result()
    #expect(close.samples == sentences.flatMap(\.samples))
  }

  @Test func `A run returns the sound and the sentences`() throws {
    let model = try model()
    let output = try model.run("Hello, world!")
    let speech = try output.speech
    let sound: AudioBuffer = try output.value(of: "audio")
    #expect(sound == (try speech.audio))
    #expect(try output.tensor("audio").shape == [sound.frameCount])
    let named = try model.run(["tokens": "Hello, world!", "speed": [2]])
    #expect(try named.speech.duration == speech.duration / 2)
    let ids = try model.run([14, 15, 16, 14] as [Double])
    let raw: AudioBuffer = try ids.value(of: "audio")
    #expect(raw.frameCount == 4 * 8 * 4)
    #expect(throws: ModelError.self) { try ids.speech }
    #expect(model.callerInputs.map(\.name) == ["tokens"])
  }

  @Test func `Phonemes are spoken as they are, and long ones in parts`() throws {
    let model = try model()
    let speech = try model.speak("həlˈO") { $0.isPhonemes = true }.result()
    #expect(speech.samples.count == (5 + 2) * 32)
    let long = String(repeating: "ab ", count: 30)
    let parts = try model.speak(long) { $0.isPhonemes = true }.result()
    // 40 symbols fit: 13 words with the spaces between them, then 13 and 4, each with a symbol at both ends.
    #expect(parts.samples.count == (38 + 1 + 38 + 1 + 11 + 3 * 2 - 2) * 32)
    let word = try model.speak(String(repeating: "a", count: 100)) { $0.isPhonemes = true }.result()
    #expect(word.samples.count == (100 + 3 * 2) * 32)
  }

  @Test func `A canceled speech ends with what it has`() throws {
    let speech = try model().speak("One. Two. Three.")
    #expect(try speech.next() != nil)
    speech.cancel()
    let error = #expect(throws: ModelError.self) { try speech.next() }
    #expect(error.map { ModelError.cancelled ~= $0 } == true)
    #expect(speech.partialResult.sentences.count == 1)
  }

  @Test func `A text of 100 kB is spoken sentence by sentence`() throws {
    let text = String(repeating: "Hello world, the cat is nice. ", count: 3500)
    let speech = try model().speak(text)
    for _ in 0..<40 { #expect(try speech.next()?.text == "Hello world, the cat is nice.") }
    let unbroken = String(repeating: "hello ", count: 17_000)
    let parts = try model().speak(unbroken) { $0.pause = 0 }.result()
    #expect(parts.sentences.count > 160)
    #expect(parts.sentences.allSatisfy { $0.text.unicodeScalars.count <= 600 })
  }

  // MARK: Errors

  @Test(arguments: ["", " \n\n ", "...", "?! —", "\0\u{7}", "!"])
  func `A text without words is an error`(_ text: String) throws {
    let error = #expect(throws: ModelError.self) { try model().speak(text) }
    #expect(error?.stage == .input)
  }

  @Test func `Characters without a sound are left out, and named`() throws {
    let model = try model()
    let speech = try model.speak("həlˈO ж") { $0.isPhonemes = true }.result()
    #expect(speech.missingSymbols == ["ж"] && speech.notes.count == 1)
    #expect(speech.samples.count == (6 + 2) * 32)
    for text in ["你好。", "مرحبا"] {
      #expect(throws: ModelError.self) { try model.speak(text).result() }
    }
    let mixed = try model.speak("[[hello]] 你 world. 你好.").result()
    #expect(mixed.sentences.map(\.phonemes) == ["həlˈO wˈɜɹld."])
  }

  @Test func `Options that do not fit the bundle are errors`() throws {
    let model = try model()
    for adjust: (inout SpeechOptions) -> Void in [
      { $0.voice = "clara" }, { $0.speed = 0.2 }, { $0.speed = .nan }, { $0.noise = 1 },
      { $0.noise = -1 }, { $0.pause = -1 }, { $0.pause = .infinity }, { $0.language = "-x" },
    ] {
      let error = #expect(throws: ModelError.self) { try model.speak("Hello.", adjust) }
      #expect(error?.stage == .input)
    }
    let error = #expect(throws: ModelError.self) { try model.speak("Hello.") { $0.voice = "x" } }
    #expect(error?.message.contains("'anna', 'bert'") == true)
    let other = try Model(at: ProjectFiles.path("Tests/Fixtures/Bundles/captions.tiobundle"))
    #expect(throws: ModelError.self) { try other.speak("Hello.") }
    #expect(other.voices == nil)
    #expect(throws: ModelError.self) { try model.run(["tokens": ["a", "b"]]) }
  }

  @Test(arguments: [
    ("voices", #"{"anna": "phonemes.json"}"#), ("lexicon", #"["missing.json"]"#),
    ("lexicon", #"["anna.f32"]"#), ("voices", #"{"anna": "missing.f32"}"#),
  ])
  func `Files of a bundle that cannot be used are errors`(_ key: String, _ value: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/broken.tiobundle"
    try FileManager.default.copyItem(atPath: Self.path, toPath: path)
    var json = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    let start = try #require(json.range(of: "\"\(key)\": "))
    let close: Character = value.hasPrefix("{") ? "}" : "]"
    let end = try #require(json[start.upperBound...].firstIndex(of: close))
    json.replaceSubrange(start.upperBound...end, with: value)
    try json.write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
    let error = #expect(throws: ModelError.self) {
      try Model(at: path).speak("Hello.") { $0.voice = "anna" }.result()
    }
    #expect(error?.stage == .bundle)
  }

  // MARK: Voices of Piper, and the command line

  @Test func `A voice of Piper becomes a bundle without an edit`() throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    for name in ["piper.onnx", "piper.onnx.json"] {
      try files.copyItem(
        atPath: ProjectFiles.path("Tests/Fixtures/ONNX/\(name)"), toPath: "\(folder.path)/\(name)")
    }
    let target = try TemporaryFolder()
    for (source, name) in [("/piper.onnx", "a"), ("", "b")] {
      let made = TestConsole.run(
        ["init", folder.path + source, "-o", "\(target.path)/\(name).tiobundle"])
      #expect(made.exitCode == 0, "\(made.messages)")
      #expect(made.output.contains("No values need review"), "\(made.output)")
    }
    let model = try Model(at: target.path + "/b.tiobundle")
    #expect(model.voices == ["carl", "dora"])
    let cases = try #require(golden["piper"]?.array)
    for one in cases {
      let speech = try model.speak(one["text"]?.string ?? "") { options in
        options.voice = one["voice"]?.string
        options.speed = one["speed"]?.number ?? 1
        options.noise = one["noise"]?.number
      }.result()
      #expect(speech.sentences.map(\.phonemes) == [one["phonemes"]?.string])
      expect(speech.samples, like: one["samples"])
    }
    let bare = try Model(at: folder.path + "/piper.onnx")
    #expect(try bare.speak("hey").result() == model.speak("hey").result())
  }

  @Test func `The command writes a file or samples`() throws {
    let folder = try TemporaryFolder()
    let wav = folder.path + "/hello.wav"
    let text = "Hello, world! Two cats."
    let made = TestConsole.run(["speak", Self.path, text, "-o", wav, "--voice", "bert"])
    #expect(made.exitCode == 0, "\(made.messages)")
    let speech = try model().speak(text) { $0.voice = "bert" }.result()
    let file = try AudioBuffer(contentsOf: wav)
    #expect(file.frameCount == speech.samples.count && file.sampleRate == 1600)
    let difference = zip(file.samples, speech.samples).map { abs($0 - $1) }.max() ?? 1
    #expect(difference <= 1 / 32768)
    for options in [[text], [text, "-o", "-"], []] {
      var console = TestConsole()
      console.input = Array((text + "\n").utf8)
      let piped = console.run(["speak", Self.path, "--voice", "bert"] + options)
      #expect(piped.exitCode == 0 && piped.messages.contains("1600 samples per second"))
      #expect(piped.outputBytes == Array(file.encoded().dropFirst(44)))
    }
  }

  @Test func `The command rejects what it cannot do`() throws {
    let captions = ProjectFiles.path("Tests/Fixtures/Bundles/captions.tiobundle")
    for (arguments, code) in [
      ([], 2), ([Self.path, "a", "b"], 2), ([Self.path, "Hello.", "--speed", "x"], 2),
      ([Self.path, "Hello.", "--speed", "9"], 4), ([Self.path, ""], 4),
      ([Self.path, "Hello.", "--voice", "x"], 4), ([captions, "Hello."], 6),
      ([Self.path, "Hello.", "-o", "/no/such/folder/a.wav"], 6),
    ] as [([String], Int32)] {
      let run = TestConsole.run(["speak"] + arguments)
      #expect(run.exitCode == code, "\(arguments): \(run.messages)")
    }
  }
}
