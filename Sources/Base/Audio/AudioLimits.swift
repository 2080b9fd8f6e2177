/// Limits on audio, checked before samples are read or allocated.
package enum AudioLimits {
  /// The maximum sample rate in hertz.
  package static let maxSampleRate = 768_000
  /// The maximum number of channels.
  package static let maxChannels = 64
  /// The maximum number of samples of all channels in memory.
  package static let maxSamples = 1 << 29
  /// The maximum size of a file, in bytes.
  package static let maxFileBytes = 4 << 30
  /// The maximum number of chunks before the samples of a file.
  package static let maxChunks = 10_000

  /// Throws an error if a number of samples exceeds the limit.
  static func validate(samples: Int) throws(AudioError) {
    guard samples <= maxSamples else {
      throw AudioError(.tooLong(samples: samples, limit: maxSamples))
    }
  }

  /// Throws an error if a sample rate or a number of channels is out of range.
  static func validate(sampleRate: Int, channelCount: Int = 1) throws(AudioError) {
    guard 1...maxSampleRate ~= sampleRate else {
      throw AudioError(
        .invalidFormat(message: "the sample rate \(sampleRate) is not in 1…\(maxSampleRate)"))
    }
    guard 1...maxChannels ~= channelCount else {
      throw AudioError(
        .invalidFormat(message: "the channel count \(channelCount) is not in 1…\(maxChannels)"))
    }
  }
}
