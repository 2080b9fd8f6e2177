import Testing

@testable import TensorIOAudio

/// Tests of `AudioError`.
struct AudioErrorTests {
  @Test func `Each reason has a code and a description`() {
    let error = AudioError(.unsupported("µ-law samples"))
    #expect(error.code == "unsupported-audio")
    #expect(error.description == "unsupported audio: µ-law samples")
  }
}
