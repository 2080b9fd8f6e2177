import Testing

@testable import TensorIOCore

@Suite struct ThreadCountTests {
  @Test(
    arguments: [
      ("1", 1), ("8", 8), ("1024", 1024), ("0", nil), ("-1", nil), ("1025", nil), ("", nil),
      ("four", nil), ("2.5", nil), (" 2", nil), ("99999999999999999999", nil),
    ] as [(String, Int?)])
  func `A variable must contain an integer within the limits`(text: String, count: Int?) {
    #expect(ThreadCount.parse(text) == count)
  }

  @Test func `The default count is within the limits of a variable`() {
    #expect((1...ThreadCount.maxCount).contains(ThreadCount.defaultCount))
  }
}
