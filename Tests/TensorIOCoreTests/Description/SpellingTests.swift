import Testing
@testable import TensorIOBundle

@Suite struct SpellingTests {
  @Test(arguments: [
    ("dtpye", "dtype"), ("Shape", "shape"), ("quantise", "quantize"), ("lables", "labels"),
    ("FORMAT", "format"), ("xyz", nil), ("", nil), ("normalise_by", nil),
    (String(repeating: "n", count: 1_000_000), nil),
  ])
  func `The nearest word is meant, if any is near`(word: String, nearest: String?) {
    let words = ["name", "type", "shape", "dtype", "quantize", "labels", "format"]
    #expect(Spelling.closestMatch(to: word, among: words) == nearest)
  }
}
