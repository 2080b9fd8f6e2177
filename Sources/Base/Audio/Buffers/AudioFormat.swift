/// The format of uncompressed audio: how samples are stored, how many per second, and in how many
/// channels.
package struct AudioFormat: Sendable, Hashable {
  /// The representation of samples.
  package let encoding: AudioEncoding
  /// The number of frames per second.
  package let sampleRate: Int
  /// The number of interleaved channels.
  package let channelCount: Int

  /// Creates a format.
  ///
  /// - Throws: ``AudioError`` if the rate is not in 1…768,000 or the channel count not in 1…64.
  package init(
    encoding: AudioEncoding, sampleRate: Int, channelCount: Int = 1
  ) throws(AudioError) {
    try AudioLimits.validate(sampleRate: sampleRate, channelCount: channelCount)
    self.encoding = encoding
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// The number of bytes of a frame.
  package var bytesPerFrame: Int { encoding.bytesPerSample * channelCount }
}

extension AudioBuffer {
  /// Creates audio from bytes without a header.
  ///
  /// An incomplete frame at the end is dropped.
  package init(raw bytes: [UInt8], format: AudioFormat) throws(AudioError) {
    let end = bytes.count - bytes.count % format.bytesPerFrame
    try AudioLimits.validate(samples: end / format.encoding.bytesPerSample)
    self.init(
      unchecked: SampleKernels.decode(bytes, at: 0..<end, format.encoding),
      sampleRate: format.sampleRate, channelCount: format.channelCount)
  }
}
