import Testing

@testable import TensorIOAudio

/// Tests of `AudioError`.
struct AudioErrorTests {
  @Test func `Each reason has a code and a description`() {
    let error = AudioError(.unsupported("µ-law samples"))
    #expect(error.code == "unsupported-audio")
    #expect(error.description == "unsupported audio: µ-law samples")
  }

  @Test(
    arguments: [
      (.unreadable(message: "m"), "unreadable-audio", "cannot read the audio: m"),
      (
        .oversizedFile(bytes: 2, limit: 1), "oversized-file",
        "the audio file has 2 bytes; the limit is 1"
      ),
      (
        .unknownFormat, "unknown-audio-format", "the data is not audio in a known format (WAV)"
      ),
      (.truncated, "truncated-audio", "the audio data is truncated"),
      (.corrupt(message: "m"), "corrupt-audio", "the audio data is corrupt: m"),
      (
        .tooLong(samples: 2, limit: 1), "audio-too-long", "the audio has 2 samples; the limit is 1"
      ),
      (.invalidFormat(message: "m"), "invalid-audio-format", "invalid audio format: m"),
      (.unwritable(message: "m"), "unwritable", "cannot write the audio: m"),
    ] as [(AudioError.Reason, String, String)])
  func `A description begins with the file`(
    reason: AudioError.Reason, code: String, message: String
  ) {
    let error = AudioError(reason, file: "a.wav")
    #expect(error.code == code)
    #expect(error.description == "a.wav: \(message)" && error.errorDescription == error.description)
    #expect(AudioError(reason).description == message)
  }
}
