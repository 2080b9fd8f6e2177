import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Words that tiny models spot, written by `Scripts/fixtures/onnx-models/keywords.py`.
@Suite(.serialized, .ownThreads) struct KeywordTests {
  private static let path = ProjectFiles.path("Tests/Fixtures/Bundles/keyword.tiobundle")
  private static let micro = ProjectFiles.path("Tests/Fixtures/Bundles/micro-keyword.tiobundle")

  private struct Golden {
    let sound: AudioBuffer
    let outputs: [[Double]]
    let scores: [[Double]]
    let spotted: [(label: String, time: Double, score: Double)]

    init() throws {
      let tree = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/keywords.json"))
      let samples = tree["samples"]?.numbers ?? []
      sound = try AudioBuffer(samples: samples.map { Float($0 / 32_768) }, sampleRate: 1600)
      outputs = (tree["outputs"]?.array ?? []).compactMap(\.numbers)
      scores = (tree["scores"]?.array ?? []).compactMap(\.numbers)
      spotted = (tree["spotted"]?.array ?? []).map {
        ($0["word"]?.string ?? "", $0["time"]?.number ?? -1, $0["score"]?.number ?? -1)
      }
    }
  }

  private typealias Word = (label: String, time: Double, score: Double)

  private func check(_ found: [Word], _ golden: Golden) {
    #expect(found.map(\.label) == golden.spotted.map(\.label))
    for (word, expected) in zip(found, golden.spotted) {
      #expect(abs(word.time - expected.time) < 1e-6)
      #expect(abs(word.score - expected.score) < 1e-5)
    }
  }

  @Test func `Scores of windows and the words in them are those of numpy`() throws {
    let golden = try Golden()
    let keywords = try Model(at: Self.path).run(golden.sound).keywords
    #expect(golden.scores.count == 206 && golden.spotted.count == 7)
    #expect(keywords.words.map(\.label) == ["low", "high"])
    for (word, scores) in keywords.words.enumerated() {
      #expect(scores.scores.count == golden.scores.count)
      for (score, expected) in zip(scores.scores, golden.scores) {
        #expect(abs(Double(score) - expected[word]) < 1e-5)
      }
    }
    check(keywords.spotted.map { ($0.label, $0.time, Double($0.score)) }, golden)
    #expect(keywords.hop == 0.02)
  }

  @Test(arguments: [Isolation.Level.process, .sandbox])
  func `Worker processes hear the same words`(_ level: Isolation.Level) throws {
    let golden = try Golden()
    let options = OpeningOptions(isolation: Isolation(level: level))
    for path in [Self.path, Self.micro] {
      let sound = try path == Self.path ? golden.sound : microSound()
      let found = try Model(at: path, options: options).run(sound).keywords
      #expect(found == (try Model(at: path).run(sound).keywords))
    }
  }

  @Test func `A stream hears the same words, window by window`() throws {
    let golden = try Golden()
    let folder = try TemporaryFolder()
    let path = folder.path + "/sound.wav"
    try golden.sound.write(to: path)
    var console = TestConsole()
    for source in [[path], ["-"], [path, "--isolation", "process"]] {
      console.input = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
      let result = console.run(["stream", Self.path] + source + ["--format", "ndjson"])
      #expect(result.exitCode == 0, "\(result)")
      let lines = result.output.split(separator: "\n").map(String.init)
      let records = try lines.map { try JSONTree($0) }
      let words = records.flatMap { record in
        record["outputs"]?["keywords"]?["spotted"]?.array ?? []
      }
      let found: [Word] = words.map { word in
        (
          word["label"]?.string ?? "", word["time"]?.number ?? -1, word["score"]?.number ?? -1
        )
      }
      #expect(records.count == golden.spotted.count, "a record for each word, and none for others")
      check(found, golden)
    }
  }

  @Test func `The command line prints words with time and score`() throws {
    let golden = try Golden()
    let folder = try TemporaryFolder()
    let path = folder.path + "/sound.wav"
    try golden.sound.write(to: path)
    let text = TestConsole.run(["run", Self.path, path, "--format", "text"])
    #expect(text.output.contains("  keywords\n    0.05 s  low 0.8494\n"), "\(text)")
    #expect(text.output.contains("    1.89 s  high 0.9965\n"))
    let rows = TestConsole.run(["run", Self.path, path, "--format", "csv"])
    #expect(rows.output.contains("keywords/1.89,3,high,0.9965"), "\(rows)")
    let strict = TestConsole.run(
      ["run", Self.path, path, "--format", "text", "--min-score", "0.9999"])
    #expect(strict.output.contains("  keywords\n    none\n"), "\(strict)")
  }

  @Test func `Evaluation counts words that were spoken and heard`() throws {
    let golden = try Golden()
    let folder = try TemporaryFolder()
    let half = try AudioBuffer(
      samples: Array(golden.sound.samples.prefix(2700)), sampleRate: 1600)
    for (name, sound, text) in [
      ("all", golden.sound, "Low! low, LOW; a high high. Low: low"),
      ("half", half, "low low"), ("other", half, "Something else, lowly."),
    ] {
      try sound.write(to: "\(folder.path)/\(name).wav")
      try text.write(
        toFile: "\(folder.path)/\(name).txt", atomically: true, encoding: .utf8)
    }
    let result = TestConsole.run(
      ["evaluate", Self.path, folder.path, "--format", "json", "--gate", "recall>=1"])
    let report = try JSONTree(result.output).array?.first
    let metrics = report?["metrics"]
    // Seven words of the first recording, and two of the three in the second one.
    #expect(metrics?["recall"]?.number == 1, "\(result)")
    #expect(abs((metrics?["precision"]?.number ?? 0) - 9.0 / 13) < 1e-9, "\(result)")
    let hours = (206.0 + 2 * 85) * 0.02 / 3600
    let rate = metrics?["false_accepts_per_hour"]?.number ?? 0
    #expect(abs(rate - 4 / hours) < 0.05 * rate, "\(result)")
    let kinds = Set((report?["curves"]?.array ?? []).compactMap { $0["kind"]?.string })
    #expect(kinds == ["false_accepts", "recall", "precision"])
  }

  @Test func `Sound without samples is an error, and silence has no words`() throws {
    let model = try Model(at: Self.path)
    #expect(throws: ModelError.self) {
      try model.run(AudioBuffer(samples: [], sampleRate: 1600))
    }
    let micro = try Model(at: Self.micro)
    let silence = try AudioBuffer(samples: Array(repeating: 0, count: 16_000), sampleRate: 16_000)
    let keywords = try micro.run(silence).keywords
    #expect(keywords.spotted.isEmpty && keywords.words[0].scores.allSatisfy { $0 == 0 })
    #expect(keywords.words[0].scores.count == 32)
  }

  @Test func `A longer sound has the words of a shorter one first`() throws {
    let golden = try Golden()
    let model = try Model(at: Self.path)
    var last: [Keywords.Spotted] = []
    for count in stride(from: 400, through: golden.sound.samples.count, by: 900) {
      let part = try AudioBuffer(
        samples: Array(golden.sound.samples.prefix(count)), sampleRate: 1600)
      let found = try model.run(part).keywords.spotted
      #expect(Array(found.prefix(last.count)) == last)
      last = found
    }
  }

  // MARK: Features in integers

  private func microFeatures() throws -> [[Double]] {
    try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/Audio/micro-features.json")).array?
      .compactMap(\.numbers) ?? []
  }

  private func microSound() throws -> AudioBuffer {
    try AudioBuffer(contentsOf: ProjectFiles.path("Tests/Fixtures/Audio/micro-features.wav"))
  }

  @Test func `Windows of features in integers follow the noise of the windows before`() throws {
    let rows = try microFeatures()
    let expected = stride(from: 0, to: rows.count - 2, by: 3).map { start in
      rows[start..<start + 3].joined().reduce(0, +) / 120 * 0.0390625
    }
    let model = try Model(at: Self.micro)
    // The second run begins anew.
    for _ in 0..<2 {
      let scores = try model.run(microSound()).keywords.words[0].scores
      #expect(scores.count == expected.count)
      for (score, expected) in zip(scores, expected) {
        #expect(abs(Double(score) - expected) < 1e-4)
      }
    }
    let stream = model.stream()
    let samples = try microSound().samples
    for (index, expected) in expected.enumerated() {
      let window = samples[index * 480..<index * 480 + 800]
      let output = try stream.run(AudioBuffer(samples: Array(window), sampleRate: 16_000))
      let score = try output.value(of: "score", as: Float.self)
      #expect(abs(Double(score) - expected) < 1e-4, "window \(index)")
    }
  }

  @Test func `Threads share a model whose features follow each other`() async throws {
    let model = try Model(at: Self.micro)
    let sound = try microSound()
    let expected = try model.run(sound).keywords
    try await withThrowingTaskGroup(of: Keywords.self) { group in
      for _ in 0..<8 {
        group.addTask { try await model.submit(sound).keywords }
      }
      for try await found in group { #expect(found == expected) }
    }
  }
}
