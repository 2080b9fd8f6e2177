import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

/// Error rates of speech, with values of jiwer 4.0.0.
@Suite(.ownThreads) struct TranscriptMetricTests {
  private static let pairs: [(String, String, wer: Double, mer: Double, wil: Double, cer: Double)] =
    [
      ("the cat sat on the mat", "the cat sat on the mat", 0, 0, 0, 0),
      ("the cat sat on the mat", "the cat sit on mat", 0.333333, 0.333333, 0.466667, 0.227273),
      ("the cat sat", "the the cat sat down", 0.666667, 0.4, 0.4, 0.818182),
      ("hello", "goodbye", 1, 1, 1, 1.4),
      ("a b c d", "d c b a", 1, 0.8, 0.9375, 0.571429),
      ("one two three", "", 1, 1, 1, 1),
      ("Hello, World!", "hello world", 1, 1, 1, 0.307692),
      (
        "send a text to mike i will be home late tomorrow",
        "send the text to mike i'll be home late tomorrow", 0.272727, 0.272727, 0.418182, 0.125
      ),
      ("  spaced   words ", "spaced words", 0, 0, 0, 0.142857),
      ("über straße", "uber strasse", 1, 1, 1, 0.272727),
    ]

  private func values(_ counts: [TranscriptMetric.Counts]) -> [String: Double] {
    var metric = TranscriptMetric()
    for count in counts { metric.add(count) }
    return Dictionary(metric.values.compactMap { metric in metric.value.map { (metric.name, $0) } })
    {
      first, _ in first
    }
  }

  @Test func `The rates of each pair are those of jiwer`() {
    for pair in Self.pairs {
      let found = values([.init(pair.0, pair.1, .english)])
      for (name, value) in [
        ("wer", pair.wer), ("mer", pair.mer), ("wil", pair.wil), ("cer", pair.cer),
      ] {
        #expect(abs((found[name] ?? .nan) - value) < 1e-6, "\(name) of \(pair.0)")
      }
    }
  }

  @Test func `Counts are summed before they are divided`() {
    let found = values(Self.pairs.map { .init($0.0, $0.1, .english) })
    for (name, value) in [
      ("wer", 0.475), ("cer", 0.319277), ("mer", 0.44186), ("wil", 0.610811),
    ] {
      #expect(abs((found[name] ?? .nan) - value) < 1e-6, "\(name)")
    }
  }

  @Test func `Ways of writing count in one kind of rates only`() {
    let counts = TranscriptMetric.Counts(
      "Mr. Ray paid $20.", "mister ray paid twenty dollars", .english)
    let found = values([counts])
    #expect(found["wer"] == 1)
    #expect(found["normalized_wer"] == 0)
    #expect(found["normalized_cer"] == 0)
    let basic = values([.init("Mr. Ray paid $20.", "mister ray paid twenty dollars", .basic)])
    #expect(basic["normalized_wer"] == 0.75)
  }

  @Test func `Recordings without words have no rates`() {
    #expect(values([]).isEmpty)
    #expect(values([.init("", "a b", .basic)])["wer"] == nil)
    #expect(values([.init("", "a b", .basic), .init("a", "a", .basic)])["wer"] == 2)
    #expect(TranscriptMetric.Counts([1, 2]) == nil)
    #expect(TranscriptMetric.Counts([Double](repeating: .nan, count: 11)) == nil)
  }

  // MARK: Data

  private func evaluate(
    options: [String] = [], _ write: (TemporaryFolder) throws -> String
  ) throws -> JSONTree {
    let folder = try TemporaryFolder()
    let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle")
    let model = try Model(at: bundle)
    var texts: [String] = []
    for (index, count) in [3200, 1600].enumerated() {
      let sound = try AudioBuffer(
        samples: (0..<count).map { sin(Float($0) / Float(9 + index)) }, sampleRate: 1600)
      try sound.write(to: "\(folder.path)/\(index).wav")
      texts.append(
        try model.run(AudioBuffer(contentsOf: "\(folder.path)/\(index).wav")).transcript.summary)
    }
    try folder.write(texts[0], to: "0.txt")
    try folder.write(texts[1] + " and more", to: "1.txt")
    let run = TestConsole.run(
      ["evaluate", bundle, try write(folder), "--format", "json"] + options)
    try #require(run.exitCode == 0, "\(run.messages)")
    return try run.json()
  }

  @Test func `A folder, a table and lines of JSON are the same data`() throws {
    let results = [
      try evaluate { $0.path },
      try evaluate { folder in
        try folder.write("0.wav\t\(text(0, folder))\n1.wav\t\(text(1, folder))\n", to: "a.tsv")
        return folder.path + "/a.tsv"
      },
      try evaluate { folder in
        try folder.write(
          "sentence\tpath\n\(text(0, folder))\t0.wav\n\(text(1, folder))\t1.wav\n", to: "b.tsv")
        return folder.path + "/b.tsv"
      },
    ]
    for result in results {
      let metrics = result[0]?["metrics"]
      #expect(metrics?["normalized_cer"]?.number != nil, "\(result)")
      #expect((metrics?["wer"]?.number ?? 0) > 0, "two words are missing: \(result)")
      #expect(result[0]?["intervals"]?["wer"] != nil)
    }
  }

  @Test func `A report states how texts were normalized`() throws {
    let result = try evaluate { $0.path }
    let language = try #require(result[0]?["normalizers"])
    #expect(language["english"]?.number == 2 || language["basic"]?.number == 2, "\(language)")
    for name in ["english", "basic"] {
      let result = try evaluate(options: ["--normalizer", name]) { $0.path }
      #expect(result[0]?["normalizers"]?[name]?.number == 2)
    }
    let wrong = TestConsole.run([
      "evaluate", ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle"), "missing",
      "--normalizer", "none",
    ])
    #expect(wrong.exitCode == 2)
  }

  private func text(_ index: Int, _ folder: TemporaryFolder) throws -> String {
    let text = try String(contentsOfFile: "\(folder.path)/\(index).txt", encoding: .utf8)
    return text.filter { !"\t\r\n\"".contains($0) }
  }
}
