import Testing

@testable import TensorIOCore

@Suite struct LabelsTests {
  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\nb\n", ["a", "b"]),
    ("a\n\nb\n", ["a", "", "b"]), ("a\nb\n\n", ["a", "b", ""]), ("\n", [""]),
    ("a\r\nb\r\n", ["a", "b"]), ("a\rb\r", ["a", "b"]), (" a b \t\n\u{B}c\n", ["a b", "c"]),
    ("\u{FEFF}a\nb\n", ["a", "b"]), ("é\n😀\n", ["é", "😀"]), ("crane\ncrane\n", ["crane", "crane"]),
  ])
  func `A line is a label`(text: String, labels: [String]) throws {
    #expect(try Labels.read(Array(text.utf8)) == labels)
  }

  @Test func `What is no text is refused`() {
    #expect(throws: Labels.Fault.notUTF8) { try Labels.read([0x61, 0xE4, 0x0A]) }
    #expect(throws: Labels.Fault.nul) { try Labels.read([0x61, 0x00, 0x0A]) }
    #expect(Labels.Fault.nul.problem != Labels.Fault.notUTF8.problem)
  }
}
