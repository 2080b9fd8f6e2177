import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

@Suite struct SpellingTests {
  @Test(arguments: [
    ("dtpye", "dtype"), ("Shape", "shape"), ("quantise", "quantize"), ("lables", "labels"),
    ("FORMAT", "format"), ("xyz", nil), ("", nil), ("normalise_by", nil),
    (String(repeating: "n", count: 1_000_000), nil),
  ])
  func `The closest word is suggested, if it is close`(word: String, expected: String?) {
    let words = ["name", "type", "shape", "dtype", "quantize", "labels", "format"]
    #expect(Spelling.closestMatch(to: word, among: words) == expected)
  }

  @Test func `The first of several equally close candidates is suggested`() {
    #expect(Spelling.closestMatch(to: "cat", among: ["dog", "cap", "car"]) == "cap")
  }

  /// Comparing each of these words with each candidate would take 10^11 steps.
  @Test(.hangGuard)
  func `Candidates of another length are not compared`() {
    let word = String(repeating: "n", count: 64)
    let long = String(repeating: "n", count: 10_000_000)
    let time = ThreadTime.measure {
      for _ in 0..<100 {
        #expect(Spelling.closestMatch(to: word, among: [long, "n", ""]) == nil)
        #expect(Spelling.closestMatch(to: "dtpye", among: [long, "dtype"]) == "dtype")
      }
    }
    #expect(time < .seconds(60))
  }

  @Test func `The number of compared candidates is limited`() {
    let others = Array(repeating: "zzzzz", count: 1000)
    #expect(Spelling.closestMatch(to: "dtpye", among: others.dropLast() + ["dtype"]) == "dtype")
    #expect(Spelling.closestMatch(to: "dtpye", among: others + ["dtype"]) == nil)
  }
}
