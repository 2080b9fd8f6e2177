import TensorIOCore
import Testing

@Suite struct StringsTests {
  @Test func `Strings are a collection of text`() {
    let strings: Strings = ["é", ""]
    #expect(Array(strings) == ["é", ""])
    #expect(strings.bytes == [[0xC3, 0xA9], []])
    #expect(strings == Strings(["é", ""]))
    #expect(strings.layerValue == ["é", ""].layerValue)
  }

  @Test func `Arbitrary bytes are preserved`() {
    let strings = Strings(bytes: [[0x61, 0xFF]])
    #expect(strings[0] == "a\u{FFFD}")
    #expect(strings.bytes == [[0x61, 0xFF]])
    #expect(strings != Strings(["a\u{FFFD}"]))
  }

  @Test func `Strings with the same characters and other bytes differ`() {
    #expect(Strings(["\u{E9}"]) != Strings(["e\u{301}"]))
  }
}
