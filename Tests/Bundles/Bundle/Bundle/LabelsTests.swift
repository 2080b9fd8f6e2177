import Testing

@testable import TensorIOBundle

@Suite struct LabelsTests {
  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\nb\n", ["a", "b"]),
    ("a\n\nb\n", ["a", "", "b"]), ("a\nb\n\n", ["a", "b", ""]), ("\n", [""]),
    ("a\r\nb\r\n", ["a", "b"]), ("a\rb\r", ["a", "b"]), (" a b \t\n\u{B}c\n", ["a b", "c"]),
    ("\u{FEFF}a\nb\n", ["a", "b"]), ("é\n😀\n", ["é", "😀"]), ("crane\ncrane\n", ["crane", "crane"]),
  ])
  func `Each line is a label`(text: String, labels: [String]) throws {
    #expect(try LabelsFile.parse(Array(text.utf8)) == labels)
  }

  @Test func `Invalid text is rejected`() {
    #expect(throws: LabelsFile.ParseError.notUTF8) { try LabelsFile.parse([0x61, 0xE4, 0x0A]) }
    #expect(throws: LabelsFile.ParseError.nul) { try LabelsFile.parse([0x61, 0x00, 0x0A]) }
    #expect(LabelsFile.ParseError.nul.message != LabelsFile.ParseError.notUTF8.message)
  }
}
