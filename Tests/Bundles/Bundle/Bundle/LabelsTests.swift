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
    for (byte, detail) in [(UInt8(0xE4), "it is not UTF-8"), (0, "it contains a NUL character")] {
      let error = ModelError(.bundle, .unreadableFile("l.txt", detail: detail))
      #expect(throws: error) { try LabelsFile.parse([0x61, byte, 0x0A], named: "l.txt") }
    }
  }
}
