import Testing

@testable import TensorIOJSON

@Suite struct JSONPositionTests {
  static let text = """
    {
      "name": "Plänts",
      "shape": [1, 24,
        {"a/b": {"~": [true]}}
      ]
    }
    """

  @Test(arguments: [
    ("", 1, 1), ("/name", 2, 11), ("/shape", 3, 12), ("/shape/0", 3, 13), ("/shape/1", 3, 16),
    ("/shape/2/a~1b", 4, 13), ("/shape/2/a~1b/~0/0", 4, 20),
  ])
  func `A value has a line, a column and a pointer`(
    pointer: String, line: Int, column: Int
  ) throws {
    let document = try JSONDocument(parsing: Array(Self.text.utf8))
    let node = try #require(document.node(at: pointer))
    #expect(node.pointer == pointer)
    #expect(node.position.line == line)
    #expect(node.position.column == column)
    #expect(document.node(covering: node.range.lowerBound).pointer == pointer)
  }

  @Test(arguments: ["/nam", "/shape/3", "/shape/-1", "/shape/a", "/name/0", "name", "/shape/2/a/b"])
  func `A pointer to a missing value returns nil`(pointer: String) throws {
    let document = try JSONDocument(parsing: Array(Self.text.utf8))
    #expect(document.node(at: pointer) == nil)
  }

  @Test func `A key has its own position and the pointer of its value`() throws {
    let document = try JSONDocument(parsing: Array(Self.text.utf8))
    let member = try #require(document.root.members?.first { $0.name == "shape" })
    #expect(
      member.key.position
        == JSONPosition(of: member.key.range.lowerBound, in: Array(Self.text.utf8)))
    #expect(member.key.position.column == 3)
    #expect(member.key.pointer == "/shape")
  }

  @Test(arguments: [
    ("[1, 2", "", 1, 6), ("{\"a\": [1, x]}", "/a/1", 1, 11), ("{\n\"a\" 1}", "/a", 2, 5),
    ("{\"a\": {\"b\": 1, \"b\": 2}}", "/a/b", 1, 16), ("[1,\n\n  \"ab\u{1}\"]", "/1", 3, 6),
    ("{\"a\": [[], [{}, {\"c\": 01}]]}", "/a/1/1/c", 1, 23), ("[{}} ]", "", 1, 4),
    ("\u{FEFF}x", "", 1, 1), ("[\"é\" x]", "", 1, 7),
  ])
  func `An error has a position and the pointer of its value`(
    text: String, pointer: String, line: Int, column: Int
  ) {
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: Array(text.utf8), dialect: .modelDescription)
    }
    #expect(error?.pointer == pointer)
    #expect(error?.position.line == line)
    #expect(error?.position.column == column)
  }

  @Test func `An error has a readable description`() {
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: Array("{\"a\": True}".utf8))
    }
    #expect(
      error?.description == "line 1, column 7: expected a value, found 'True'; write true")
  }
}
