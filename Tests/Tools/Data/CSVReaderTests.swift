import TensorIOTestSupport
import Testing

@testable import TensorIOData

@Suite struct CSVReaderTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let text: String
    let rows: [[String]]
    var testDescription: String { text.debugDescription }
  }

  static let examples = [
    Example(text: "", rows: []),
    Example(text: "\n\r\n\r", rows: []),
    Example(text: "a", rows: [["a"]]),
    Example(text: "a,b\n1,2", rows: [["a", "b"], ["1", "2"]]),
    Example(text: "a,b\r\n1,2\r\n", rows: [["a", "b"], ["1", "2"]]),
    Example(text: "a\rb\r", rows: [["a"], ["b"]]),
    Example(text: "\u{FEFF}a,b\n", rows: [["a", "b"]]),
    Example(text: ",\n", rows: [["", ""]]),
    Example(text: "\"\"\n", rows: [[""]]),
    Example(text: "\"a,b\",\"c\"\"d\"\n", rows: [["a,b", "c\"d"]]),
    Example(
      text: "\"two\nlines\",\"two\r\nlines\"\nx,y",
      rows: [["two\nlines", "two\r\nlines"], ["x", "y"]]),
    Example(text: "\"[1, 2]\", 3 \n", rows: [["[1, 2]", " 3 "]]),
    Example(text: "größe,🐈\n", rows: [["größe", "🐈"]]),
  ]

  @Test(arguments: examples)
  func `Rows are parsed from text`(_ example: Example) {
    let rows = Self.rows(of: Array(example.text.utf8))
    #expect(rows.map { $0.map(\.text) } == example.rows)
    #expect(rows.joined().allSatisfy { $0.diagnostic == nil })
  }

  @Test func `Cells have the position of their first character`() {
    let rows = Self.rows(of: Array("\u{FEFF}a,b\r\n\n\"x\ny\",2\nä,4".utf8))
    let positions = rows.map { $0.map { [$0.line, $0.column] } }
    #expect(positions == [[[1, 1], [1, 3]], [[3, 1], [4, 4]], [[5, 1], [5, 4]]])
  }

  @Test(arguments: [
    ("a,\"b", DataDiagnostic.unterminatedQuote), ("a,\"b\"c", .textAfterQuote),
    ("a,b\"c", .unescapedQuote),
  ])
  func `A quoting error is attached to its cell`(_ text: String, _ expected: DataDiagnostic) {
    #expect(Self.rows(of: Array(text.utf8)).map { $0.map(\.diagnostic) } == [[nil, expected]])
  }

  @Test func `Invalid UTF-8 is an error`() {
    #expect(Self.rows(of: [0x61, 0x2C, 0xFF]).first?.last?.diagnostic == .notUTF8)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `Written rows are read back, from the start and from any row`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let rows = Self.randomRows(&random)
    let text = Self.write(rows, &random)
    #expect(Self.rows(of: text).map { $0.map(\.text) } == rows)
    var reader = CSVReader(text, separator: Self.comma)
    var positions: [RowPosition] = []
    while let row = reader.next() { positions.append(row.position) }
    for (position, row) in zip(positions, rows) {
      var reader = CSVReader(text, separator: Self.comma, from: position)
      #expect(reader.next()?.cells.map(\.text) == row)
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `A corrupt text is read to its end`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var text = Self.write(Self.randomRows(&random), &random)
    for _ in 0..<8 where !text.isEmpty {
      let index = Int.random(in: 0..<text.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: text[index] = Self.characters.randomElement(using: &random) ?? 0
      case 1: text.remove(at: index)
      default: text.insert(UInt8.random(in: 0...255, using: &random), at: index)
      }
    }
    let lines = text.count { $0 == 0x0A || $0 == 0x0D } + 1
    for row in Self.rows(of: text) {
      #expect(!row.isEmpty && row.allSatisfy { (1...lines).contains($0.line) && $0.column > 0 })
    }
  }
}

// MARK: Writing

extension CSVReaderTests {
  static let comma = UInt8(ascii: ",")
  static let characters = Array("ab,\"\n\r 1é".utf8)

  static func rows(of text: [UInt8]) -> [[CSVCell]] {
    var reader = CSVReader(text, separator: comma)
    var rows: [[CSVCell]] = []
    while let row = reader.next() { rows.append(row.cells) }
    return rows
  }

  static func randomRows(_ random: inout SeededGenerator) -> [[String]] {
    let width = Int.random(in: 1...4, using: &random)
    return (0..<Int.random(in: 0...6, using: &random)).map { _ in
      (0..<width).map { _ in
        let length = Int.random(in: 0...5, using: &random)
        return String(
          (0..<length).map { _ in Array("ab,\"\n\r 1é").randomElement(using: &random) ?? "x" })
      }
    }
  }

  /// Returns a table with quotes where required and, at random, elsewhere.
  static func write(_ rows: [[String]], _ random: inout SeededGenerator) -> [UInt8] {
    var text = ""
    for row in rows {
      let lineEnd = ["\n", "\r\n"].randomElement(using: &random) ?? "\n"
      text +=
        row.map { cell in
          let needsQuotes = cell.unicodeScalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
          guard needsQuotes || cell.isEmpty || Bool.random(using: &random) else { return cell }
          return "\""
            + cell.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
        }.joined(separator: ",") + lineEnd
    }
    return Array(text.utf8)
  }
}
