import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

@Suite struct EditDistanceTests {
  @Test(arguments: [
    ("", "", 0, 0, 0), ("abc", "", 0, 0, 3), ("", "ab", 0, 2, 0), ("kitten", "sitting", 2, 1, 0),
    ("abcd", "bcd", 0, 0, 1), ("ab", "ba", 0, 1, 1), ("abcd", "dcba", 2, 1, 1),
    ("Größe", "GroBe", 2, 0, 0),
  ])
  func `The edits of two texts are counted by kind`(
    expected: String, actual: String, substitutions: Int, insertions: Int, deletions: Int
  ) {
    let distance = EditDistance(from: Array(expected), to: Array(actual))
    #expect(distance.substitutions == substitutions)
    #expect(distance.insertions == insertions)
    #expect(distance.deletions == deletions)
    #expect(distance.count == substitutions + insertions + deletions)
  }

  @Test func `The number of edits is that of the plain recurrence`() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<50 {
      let texts = (0..<2).map { _ in
        (0..<Int.random(in: 0...9, using: &generator)).map { _ in
          Int.random(in: 0...2, using: &generator)
        }
      }
      let distance = EditDistance(from: texts[0], to: texts[1])
      #expect(distance.count == Self.recurrence(texts[0][...], texts[1][...]))
      #expect(distance.insertions - distance.deletions == texts[1].count - texts[0].count)
    }
  }

  private static func recurrence(_ a: ArraySlice<Int>, _ b: ArraySlice<Int>) -> Int {
    guard let x = a.first else { return b.count }
    guard let y = b.first else { return a.count }
    let (s, t) = (a.dropFirst(), b.dropFirst())
    return x == y
      ? recurrence(s, t) : 1 + min(recurrence(s, t), recurrence(s, b), recurrence(a, t))
  }
}
