extension AudioBuffer {
  /// Returns the audio with another sample rate.
  ///
  /// The samples equal those of `scipy.signal.resample_poly` with its default filter up to
  /// rounding. The same rate returns the audio unchanged.
  ///
  /// - Parameter rate: The number of frames per second, from 1 to 768,000.
  /// - Returns: Audio with the same channels and, up to the last frame, the same duration.
  /// - Throws: ``AudioError`` if the rate is out of range or the result has too many samples.
  public func converted(toSampleRate rate: Int) throws(AudioError) -> AudioBuffer {
    try AudioLimits.validate(sampleRate: rate)
    guard rate != sampleRate else { return self }
    let frames = Resampler.outputCount(frameCount, from: sampleRate, to: rate) ?? .max
    let (count, overflow) = frames.multipliedReportingOverflow(by: channelCount)
    try AudioLimits.validate(samples: overflow ? .max : count)
    var converter = InterleavedResampler(from: sampleRate, to: rate, channelCount: channelCount)
    var output: [Float] = []
    output.reserveCapacity(count)
    converter.append(samples[...], to: &output)
    converter.finish(to: &output)
    return AudioBuffer(unchecked: output, sampleRate: rate, channelCount: channelCount)
  }
}
