import Testing

@testable import TensorIOText

/// Tests of `TokenizerError`.
struct TokenizerErrorTests {
  @Test func `The location of invalid UTF-8 is described`() {
    #expect(
      TokenizerError(.invalidUTF8(offset: 7)).description
        == "the text is not valid UTF-8 at byte 7")
  }
}
