import TensorIOJSON
import TensorIOTestSupport
import Testing

/// Arrays of numbers, which the parser reads in a tight loop.
@Suite struct JSONNumberArrayTests {
  private static let forms = [
    "0", "-0", "7", "-12", "0.0", "-0.000", "0.5", "255", "-1.25", "3.1415927", "12345678901234567",
    "0.00000000000001", "9007199254740993", "1e3", "-2.5E-2", "1.7976931348623157e308",
  ]
  private static let separators = [",", ", ", " ,", ",\n  ", "\t, "]

  @Test func `Numbers in arrays are parsed correctly with any separators`() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let count = Int.random(in: 1...20, using: &generator)
      let row = (0..<count).map { _ in
        Bool.random(using: &generator)
          ? Self.forms.randomElement(using: &generator) ?? "0"
          : "\(Float.random(in: -300...300, using: &generator))"
      }
      let separator = Self.separators.randomElement(using: &generator) ?? ","
      let text = "[" + row.joined(separator: separator) + "]"
      let document = try JSONDocument(parsing: Array("{\"a\":[\(text),\(text)]}".utf8))
      var values: [Double] = []
      let node = try #require(document.root["a"])
      let shape = try node.numbers(into: &values)
      #expect(shape == [2, count])
      #expect(values.map(\.bitPattern) == (row + row).map { Double($0)?.bitPattern })
      #expect(node[0]?.source == text)
    }
  }

  @Test func `Rows that are read into one array seldom move the rows before them`() throws {
    let rows = Array(repeating: "[1,2]", count: 1 << 15).joined(separator: ",")
    let document = try JSONDocument(parsing: Array("[\(rows)]".utf8))
    var (values, capacity, moves) = ([Double](), 0, 0)
    for row in try #require(document.root.elements) {
      #expect(try row.numbers(into: &values) == [2])
      if values.capacity != capacity { (capacity, moves) = (values.capacity, moves + 1) }
    }
    #expect(values.count == 2 << 15 && moves < 32, "\(moves) moves")
  }

  @Test(arguments: [
    "[1,,2]", "[1,2,]", "[1,02]", "[1,-]", "[1,-,2]", "[1,2.]", "[1,2.,3]", "[1,.5]", "[1 2]",
    "[1,2", "[1,", "[1,2}", "[1,+2]", "[1,0x1]", "[1,2a,3]", "[1,1e999,2]", "[1,--2]",
    "[1,\(String(repeating: "9", count: 400)),2]",
  ])
  func `Invalid arrays of numbers are rejected`(_ text: String) {
    #expect(throws: JSONError.self) { try JSONDocument(parsing: Array(text.utf8)) }
  }

  @Test func `An error inside an array of numbers has a location`() throws {
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: Array("{\"a\": [1, 2, 3,\n4, 5.x]}".utf8))
    }
    #expect(error?.pointer == "/a/4")
    #expect(error?.position.line == 2)
  }
}
