import TensorIOTestSupport
import Testing

@testable import TensorIOText

/// Tests of `StopStringFilter`.
struct StopStringFilterTests {
  private func filter(_ pieces: [String], _ strings: [String]) -> (steps: [String], found: String?)
  {
    var filter = StopStringFilter(strings)
    var steps = pieces.map { filter.append($0) }
    steps.append(filter.finish())
    return (steps, filter.found)
  }

  @Test(
    arguments: [
      (
        ["Hello", " wor", "ld\n\nUs", "er: hi"], ["\n\nUser:"], ["Hello", " wor", "ld", "", ""], 0
      ),
      (["ab", "ab", "ac", "d"], ["abac"], ["", "ab", "", "", ""], 0),
      (["aaa", "aab"], ["aab"], ["a", "aa", ""], 0),
      (["one ", "STO", "X STOP", " two"], ["STOP", "STO!"], ["one ", "", "STOX ", "", ""], 0),
      (["a", "b"], [], ["a", "b", ""], nil),
      (["a", "b"], [""], ["a", "b", ""], nil),
      (["stop", "per"], ["stopper", "stop"], ["", "", ""], 1),
      (["a stopper"], ["stop", "stopper"], ["a ", ""], 1),
      (["x</", "s", ">y"], ["</s>"], ["x", "", "", ""], 0),
      (["no ", "end </"], ["</s>"], ["no ", "end ", "</"], nil),
      (["éc", "ole"], ["é"], ["", "", ""], 0),
      (["```js", "on\n{}\n", "```", "\nmore"], ["\n```"], ["```js", "on\n{}", "", "", ""], 0),
    ] as [([String], [String], [String], Int?)])
  func `Text is given out up to a stop string`(
    pieces: [String], strings: [String], steps: [String], found: Int?
  ) {
    let result = filter(pieces, strings)
    #expect(result.steps == steps)
    #expect(result.found == found.map { strings[$0] })
  }

  @Test func `The result does not depend on the pieces`() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2_000 {
      let text = (0..<12).map { _ in ["a", "b", "é"].randomElement(using: &generator) ?? "" }
      let string = (0..<3).map { _ in ["a", "b", "é"].randomElement(using: &generator) ?? "" }
        .joined()
      var pieces: [String] = [""]
      for character in text {
        if Bool.random(using: &generator) { pieces.append("") }
        pieces[pieces.count - 1] += character
      }
      let expected = text.joined().split(separator: string, omittingEmptySubsequences: false)[0]
      #expect(filter(pieces, [string]).steps.joined() == expected)
    }
  }
}
