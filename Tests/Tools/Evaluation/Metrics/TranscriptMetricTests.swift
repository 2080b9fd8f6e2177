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
      let found = values([.init(pair.0, pair.1)])
      for (name, value) in [
        ("wer", pair.wer), ("mer", pair.mer), ("wil", pair.wil), ("cer", pair.cer),
      ] {
        #expect(abs((found[name] ?? .nan) - value) < 1e-6, "\(name) of \(pair.0)")
      }
    }
  }

  @Test func `Counts are summed before they are divided`() {
    let found = values(Self.pairs.map { .init($0.0, $0.1) })
    for (name, value) in [
      ("wer", 0.475), ("cer", 0.319277), ("mer", 0.44186), ("wil", 0.610811),
    ] {
      #expect(abs((found[name] ?? .nan) - value) < 1e-6, "\(name)")
    }
  }

  /// The values are those of whisper-normalizer 0.1.15, except for an open bracket.
  @Test(arguments: [
    ("Mr. Smith won't pay $20.50!", "mr smith won t pay 20 50"),
    (
      "It's nine thirty on the twenty-first of May, 2021.",
      "it s nine thirty on the twenty first of may 2021"
    ),
    ("one hundred and twenty three", "one hundred and twenty three"),
    ("two hundred three point five percent", "two hundred three point five percent"),
    ("I'm gonna go, y'all can't stop me", "i m gonna go y all can t stop me"),
    ("[laughs] (applause) Hello <b>there</b>", "hello there"),
    ("Dr. O'Neill's favourite theatre", "dr o neill s favourite theatre"),
    ("uh, um, hmm well", "uh um hmm well"),
    ("The temperature is -5 degrees", "the temperature is 5 degrees"),
    ("1,234,567 people", "1 234 567 people"),
    ("£1.5 million", "1 5 million"),
    ("five thousand three hundred", "five thousand three hundred"),
    ("oh four two oh", "oh four two oh"),
    ("twenty twenty four", "twenty twenty four"),
    ("double oh seven", "double oh seven"),
    ("He had been there; he'd gone.", "he had been there he d gone"),
    ("I've let's you're they'll", "i ve let s you re they ll"),
    ("1st 2nd 3rd 21st", "1st 2nd 3rd 21st"),
    ("Café naïve über straße", "café naïve über straße"),
    ("Frühstück um 9:30 Uhr.", "frühstück um 9 30 uhr"),
    ("こんにちは、世界。", "こんにちは 世界"),
    ("e.g. this, i.e. that", "e g this i e that"),
    ("10:30 am", "10 30 am"),
    ("ten dollars and five cents", "ten dollars and five cents"),
    ("one oh one", "one oh one"),
    ("half past three", "half past three"),
    ("A.B.C.", "a b c"),
    ("twenty - one", "twenty one"),
    ("minus seven", "minus seven"),
    ("three and a half", "three and a half"),
    ("and a half million dollars", "and a half million dollars"),
    ("Okay—let’s go", "okay let s go"),
    ("50%", "50"),
    ("$5 million", "5 million"),
    ("2020s and 1990s", "2020s and 1990s"),
    ("won", "won"),
    ("a one and a two", "a one and a two"),
    ("six hundred sixty six", "six hundred sixty six"),
    ("nineteen ninety nine", "nineteen ninety nine"),
    ("zero point zero five", "zero point zero five"),
    ("an open ( bracket", "an open bracket"),
    ("", ""),
  ])
  func `Normalized texts have neither case nor punctuation`(_ text: String, _ expected: String) {
    #expect(
      TranscriptMetric.Counts.normalizedWords(text).joined(separator: " ") == expected)
  }

  @Test func `Recordings without words have no rates`() {
    #expect(values([]).isEmpty)
    #expect(values([.init("", "a b")])["wer"] == nil)
    #expect(values([.init("", "a b"), .init("a", "a")])["wer"] == 2)
    #expect(TranscriptMetric.Counts([1, 2]) == nil)
    #expect(TranscriptMetric.Counts([Double](repeating: .nan, count: 11)) == nil)
  }

  // MARK: Data

  private func evaluate(_ write: (TemporaryFolder) throws -> String) throws -> JSONTree {
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
    let run = TestConsole.run(["evaluate", bundle, try write(folder), "--format", "json"])
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

  private func text(_ index: Int, _ folder: TemporaryFolder) throws -> String {
    let text = try String(contentsOfFile: "\(folder.path)/\(index).txt", encoding: .utf8)
    return text.filter { !"\t\r\n\"".contains($0) }
  }
}
