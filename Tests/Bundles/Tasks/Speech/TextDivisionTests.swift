import TensorIOBundle
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// Sentences, clauses and phonemes, compared with `Scripts/fixtures/onnx-models/voices.py`.
@Suite struct TextDivisionTests {
  private let golden: JSONTree

  init() throws {
    golden = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/voices.json"))
  }

  @Test func `Texts are divided into sentences and clauses`() throws {
    let cases = try #require(golden["splitting"]?.array)
    #expect(cases.count == 12)
    for one in cases {
      let text = try #require(one["text"]?.string)
      let sentences = TextDivision.sentences(in: text)
      #expect(sentences == one["sentences"]?.array?.compactMap(\.string))
      let clauses = sentences.map { sentence in
        TextDivision.clauses(of: sentence).map { [$0.text, String(Character($0.mark))] }
      }
      let expected = one["clauses"]?.array?.map { clauses in
        (clauses.array ?? []).map { ($0.array ?? []).compactMap(\.string) }
      }
      #expect(clauses == expected, "\(text)")
    }
  }

  @Test func `A long sentence is divided after a clause, after a word, or anywhere`() {
    let words = String(repeating: "word ", count: 100)
    for text in [
      words + "end, " + words, words + words, String(repeating: "x", count: 2000),
    ] {
      let parts = TextDivision.sentences(in: text)
      #expect(parts.count > 1)
      #expect(parts.allSatisfy { $0.unicodeScalars.count <= TextDivision.maxLength })
      let joined = parts.joined().filter { $0 != " " }
      #expect(joined == text.filter { $0 != " " })
    }
    #expect(TextDivision.sentences(in: words + "end, " + words)[0].hasSuffix("end,"))
  }

  /// A quadratic search would take minutes.
  @Test func `The time grows with the length of a text, whatever its characters are`() {
    let count = 100_000
    let time = ThreadTime.measure {
      for pattern in ["a. b ", "\"),", "...", "(", "x", " ", "\n", "Dr. ", ".)"] {
        let text = String(repeating: pattern, count: count / pattern.utf8.count)
        let sentences = TextDivision.sentences(in: text)
        #expect(sentences.reduce(0) { $0 + TextDivision.clauses(of: $1).count } <= count)
      }
    }
    #expect(time < .seconds(60))
  }

  @Test func `English words have the phonemes of a lexicon`() throws {
    let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/voice.tiobundle/assets")
    let tables = try ["gold", "silver"].map { name in
      try JSONTree(contentsOf: "\(bundle)/\(name).json").object?.compactMapValues { entry in
        entry.string ?? entry["DEFAULT"]?.string
      } ?? [:]
    }
    let lexicon = Lexicon(tables)
    let cases = try #require(golden["words"]?.array)
    #expect(cases.count == 7)
    for one in cases {
      let phonemes = lexicon.phonemes(of: one["text"]?.string ?? "")
      #expect(phonemes == one["kokoro"]?.string)
      #expect(PhonemeLetters.toESpeak.converted(phonemes) == one["espeak"]?.string)
    }
    #expect(
      PhonemeLetters.toKokoro.converted("wˈɔːɾɚ bˈɔɪlz lˈɛvəl") == "wˈɔɾəɹ bˈYlz lˈɛvᵊl")
  }

  @Test func `Numbers of any length have words`() {
    #expect(
      EnglishNumbers.words(ofDigits: "1002030")
        == ["one", "million", "two", "thousand", "thirty"])
    #expect(EnglishNumbers.words(ofDigits: "999999999999").count == 19)
    #expect(EnglishNumbers.words(ofDigits: String(repeating: "7", count: 5000)).count == 5000)
  }

  @Test func `A language cannot be an option, a path or a command`() {
    for language in ["", "-w", "en us", "../x", "en;ls", "a/b", "ä", "en\0"] {
      #expect(throws: ModelError.self, "\(language)") {
        try ESpeakProgram.check(language: language)
      }
    }
    for language in ["en-us", "cmn", "en+f3", "fr_be"] {
      #expect(throws: Never.self) { try ESpeakProgram.check(language: language) }
    }
  }

  static let hasESpeak =
    (Subprocess.output(
      of: "espeak-ng", ["--version"], input: [], limit: 4096, timeout: .seconds(10)))?
    .status == 0

  @Test(.enabled(if: hasESpeak))
  func `The program makes the phonemes of many clauses as it makes those of each`() throws {
    let clauses = [
      "Hello", " world", "It is 3:30 pm", "Dr. Smith paid Mr. Brown $20.50", "a_b", "5", "x",
      "-q --help", "[[h@]] is no phoneme", "zqx", "\u{1F600}", "一", "A\nB\n\nC", "qzx xqz zxq xzq",
    ]
    let program = try ESpeakProgram(language: "en-us")
    let all = try program.phonemes(of: clauses)
    let each = try clauses.map { try program.phonemes(of: [$0])[0] }
    #expect(all == each)
    #expect(all[0] == "həlˈoʊ")
    #expect(try program.phonemes(of: []) == [])
    #expect(throws: ModelError.self) {
      try ESpeakProgram(language: "zzz").phonemes(of: ["x"])
    }
  }
}
