import TensorIOSystem

/// Formats of sound that the program `ffmpeg` writes, if it is installed.
package enum CompressedAudio: String, Sendable, Hashable, CaseIterable {
  case mp3, opus, aac, flac

  /// Why sound was not compressed.
  package enum Failure: Error {
    /// The program is not installed.
    case programMissing
    /// The program failed; the reason is that which it states.
    case failed(String)
  }

  /// The media type.
  package var mediaType: String {
    switch self {
    case .mp3: "audio/mpeg"
    case .opus: "audio/ogg"
    case .aac: "audio/aac"
    case .flac: "audio/flac"
    }
  }

  private var container: String {
    switch self {
    case .mp3, .flac: rawValue
    case .opus: "ogg"
    case .aac: "adts"
    }
  }

  /// The program, which is run, not linked.
  package static let program = "ffmpeg"
  private static let timeout = Duration.seconds(60)
  private static let maxBytes = 1 << 28

  /// Returns sound in the format.
  package func encode(_ sound: AudioBuffer) throws(Failure) -> [UInt8] {
    let codec = self == .opus ? ["-c:a", "libopus"] : []
    let output = Subprocess.output(
      of: Self.program,
      ["-hide_banner", "-loglevel", "error", "-f", "wav", "-i", "pipe:0"] + codec
        + ["-f", container, "pipe:1"],
      input: sound.encoded(), limit: Self.maxBytes, timeout: Self.timeout)
    guard let output else { throw .programMissing }
    guard output.status == 0, !output.bytes.isEmpty else {
      throw .failed(output.errorLine ?? "it did not write all of the sound")
    }
    return output.bytes
  }
}
