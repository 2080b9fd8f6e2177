import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

private struct NormalizerCase: Decodable {
  let text: String
  let english, basic: [String]
}

/// Normalized texts are those of the normalizers of openai-whisper 20250625.
@Suite struct TranscriptNormalizerTests {
  @Test(arguments: [
    (
      "Mr. Smith won't pay $20.50 for the colour TV!",
      "mister smith will not pay $20.50 for the color tv",
      "mr smith won t pay 20 50 for the colour tv"
    ),
    (
      "It's nine thirty on the twenty-first of May, 2021.",
      "it is 930 on the 21st of may 2021",
      "it s nine thirty on the twenty first of may 2021"
    ),
    ("one hundred and twenty three", "123", "one hundred and twenty three"),
    ("two hundred three point five percent", "203.5%", "two hundred three point five percent"),
    (
      "I'm gonna go, y'all can't stop me",
      "i am going to go you all can not stop me",
      "i m gonna go y all can t stop me"
    ),
    ("[laughs] (applause) Hello <b>there</b>", "hello there", "hello there"),
    (
      "Dr. O'Neill's favourite theatre",
      "doctor 0 neill is favorite theater",
      "dr o neill s favourite theatre"
    ),
    ("uh, um, hmm well", "well", "uh um hmm well"),
    (
      "The temperature is -5 degrees",
      "the temperature is 5 degrees",
      "the temperature is 5 degrees"
    ),
    ("1,234,567 people", "1234567 people", "1 234 567 people"),
    ("£1.5 million", "£1500000", "1 5 million"),
    ("five thousand three hundred", "5300", "five thousand three hundred"),
    ("oh four two oh", "0420", "oh four two oh"),
    ("twenty twenty four", "2024", "twenty twenty four"),
    ("double oh seven", "007", "double oh seven"),
    (
      "He had been there; he'd gone.",
      "he had been there he had gone",
      "he had been there he d gone"
    ),
    ("I've let's you're they'll", "i have let us you are they will", "i ve let s you re they ll"),
    ("1st 2nd 3rd 21st", "1st 2nd 3rd 21st", "1st 2nd 3rd 21st"),
    ("Café naïve über straße", "cafe naive uber strasse", "café naïve über straße"),
    ("Frühstück um 9:30 Uhr.", "fruhstuck 9 30 uhr", "frühstück um 9 30 uhr"),
    ("こんにちは、世界。", "こんにちは 世界", "こんにちは 世界"),
    ("e.g. this, i.e. that", "e g this i e that", "e g this i e that"),
    ("10:30 am", "10 30 am", "10 30 am"),
    ("ten dollars and five cents", "$10.05", "ten dollars and five cents"),
    ("one oh one", "101", "one oh one"),
    ("half past three", "half past 3", "half past three"),
    ("A.B.C.", "a b c", "a b c"),
    ("twenty - one", "21", "twenty one"),
    ("minus seven", "-7", "minus seven"),
    ("three and a half", "3.5", "three and a half"),
    ("and a half million dollars", "$1000000", "and a half million dollars"),
    ("Okay—let’s go", "okay let s go", "okay let s go"),
    ("50%", "50%", "50"),
    ("$5 million", "$5000000", "5 million"),
    ("2020s and 1990s", "2020s and 1990s", "2020s and 1990s"),
    ("won", "won", "won"),
    ("a one and a two", "a one and a 2", "a one and a two"),
    ("six hundred sixty six", "666", "six hundred sixty six"),
    ("nineteen ninety nine", "1999", "nineteen ninety nine"),
    ("zero point zero five", "0.05", "zero point zero five"),
    ("an open ( bracket", "an open bracket", "an open bracket"),
    ("", "", ""),
    ("() <a> [b]", "", ""),
    ("three point one four one", "3.141", "three point one four one"),
    ("one hundred million and five", "100000005", "one hundred million and five"),
    ("$2 and seven cents", "$2.07", "2 and seven cents"),
    ("one thousandth", "1000th", "one thousandth"),
    (
      "The colour organisers analysed",
      "the color organizers analyzed",
      "the colour organisers analysed"
    ),
  ])
  func `Texts that differ in writing only are equal`(
    _ text: String, _ english: String, _ basic: String
  ) {
    #expect(TranscriptNormalizer.english.normalized(text) == english)
    #expect(TranscriptNormalizer.basic.normalized(text) == basic)
  }

  @Test(arguments: Reference.files(of: "transcripts"))
  func `Random texts are normalized as by the original`(file: Reference) throws {
    let cases = try file.cases(NormalizerCase.self)
    #expect(cases.count > 1000)
    for example in cases {
      let english = TranscriptNormalizer.english.words(of: example.text).map(String.init)
      #expect(english == example.english, "\(example.text.debugDescription)")
      let basic = TranscriptNormalizer.basic.words(of: example.text).map(String.init)
      #expect(basic == example.basic, "\(example.text.debugDescription)")
    }
  }

  @Test func `Numbers of any length are added`() {
    let digits = String(repeating: "9", count: 60)
    #expect(
      TranscriptNormalizer.english.normalized("\(digits) thousand")
        == "1" + String(repeating: "0", count: 54) + "998000")
    #expect(
      TranscriptNormalizer.english.normalized("one decillion")
        == "1" + String(repeating: "0", count: 33))
  }

  @Test func `The language selects the normalizer`() {
    #expect(TranscriptNormalizer(language: "en") == .english)
    #expect(TranscriptNormalizer(language: "de") == .basic)
  }
}
