import Foundation
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOText

/// Tests of patterns in `tokenizer.json` files.
///
/// `Scripts/fixtures/golden/make-tokenizers.py` writes the expected parts with the package `tokenizers`.
struct PatternTests {
  /// The parts of texts at the matches of a pattern; ranges are of scalars.
  private struct Golden: Decodable {
    struct Case: Decodable {
      let pattern: String
      let behavior: String
      let invert: Bool
      let parts: [[[Int]]]
    }

    let texts: [String]
    let cases: [Case]
  }

  @Test func `Parts equal the reference`() throws {
    let path = ProjectFiles.path("Tests/Fixtures/Text/patterns.json")
    let golden = try JSONDecoder().decode(
      Golden.self, from: try Data(contentsOf: URL(filePath: path)))
    #expect(golden.cases.count > 60)
    for item in golden.cases {
      let step = WordSplitting.pattern(
        try .expression(of: item.pattern), try #require(SplitBehavior(rawValue: item.behavior)),
        isInverted: item.invert)
      for (text, expected) in zip(golden.texts, item.parts) {
        var aligned = AlignedText(Array(text.utf8))
        var parts = aligned.isEmpty ? [] : [0..<aligned.bytes.count]
        try step.apply(to: &parts, of: &aligned, isAtStart: true)
        let found = parts.map { part in
          [part.lowerBound, part.upperBound].map {
            UTF8Text.scalarCount(0..<$0, of: aligned.bytes.span)
          }
        }
        #expect(found == expected, "\(item.pattern) \(item.behavior) \(item.invert) \(text)")
      }
    }
  }

  /// The simulation takes ten times as long as the table.
  @Test(arguments: [
    "bytes-llama3.json", "bytes-gpt4o.json", "bytes-falcon.json", "bytes-clip.json",
  ])
  func `The patterns of language models have tables of states`(name: String) throws {
    let path = ProjectFiles.path("Tests/Fixtures/Text/\(name)")
    let root = try JSONDocument(parsing: [UInt8](try Data(contentsOf: URL(filePath: path)))).root
    let steps = try #require(root["pre_tokenizer"]?["pretokenizers"]?.elements)
    let patterns = steps.compactMap { $0["pattern"]?["Regex"]?.string }
    #expect(!patterns.isEmpty)
    for pattern in patterns {
      let program = try PatternParser.program(of: pattern, dialect: .oniguruma)
      #expect(PatternAutomaton(program) != nil, "\(pattern)")
    }
  }

  /// The simulation, which is used for large patterns, finds what the table of states finds.
  @Test func `Large patterns match as small ones do`() throws {
    let words = (0..<70).map { "\\x{\(String(0x4E00 + $0, radix: 16))}[a-k]?(?!z)" }
    let pattern = words.joined(separator: "|")
    #expect(PatternAutomaton(try PatternParser.program(of: pattern, dialect: .oniguruma)) == nil)
    let text = Array("\u{4E00}\u{4E01}ab \u{4E02}z\u{4E03}bz\u{4F00}".utf8)
    let matches = try PatternMatcher(pattern: pattern, dialect: .oniguruma).matches(in: text.span)
    #expect(matches == [0..<3, 3..<7, 13..<16])
  }

  @Test(arguments: [
    "(a)\\1", "(?>a)b", "(?=ab)a", "(?<=ab)c", "(?!^)a", "\\bword", "\\p{Han}", "\\p{L", "(?m:a.b)",
    "(?i:é)", "(?i:ss)",
    "(ab)++c", "a{2}?", "a{3,2}", "a{0}", "a**", "[[:alpha:]]", "\\Z", "\\X", "a*", "a{2000}",
    "(?:a{100}){100}", "a|",
    "\\x{D800}", "\\xe9",
  ])
  func `A regular expression that is not supported is named`(pattern: String) {
    let error = #expect(throws: TokenizerError.self) { try TextPattern.expression(of: pattern) }
    guard case .unsupported(let component)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(component.hasPrefix("the regular expression '\(pattern)' (at byte "))
  }

  /// Patterns that take exponential or quadratic time in engines that backtrack.
  @Test(arguments: [
    "(a+)+$", "(a|a)+$", "a?a?a?a?a?a?a?a?a?a?a{10}", "(a+)+b|a", "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  ])
  func `The time of a search is linear in the text`(pattern: String) throws {
    let matcher = try PatternMatcher(pattern: pattern, dialect: .oniguruma)
    for character in ["a", " "] {
      var times: [Duration] = []
      for count in [20_000, 200_000] {
        let text = Array((String(repeating: character, count: count) + "x").utf8)
        times.append(ThreadTime.measure { _ = try? matcher.matches(in: text.span) })
      }
      #expect(times[1] < times[0] * 40 + .milliseconds(50), "\(character) \(times)")
    }
  }
}
