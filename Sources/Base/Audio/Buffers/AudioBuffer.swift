/// Audio in memory: samples as floats, with a sample rate and a number of channels.
///
/// Samples are between -1 and 1, unless a file with floating-point samples exceeds that range. The
/// channels are interleaved: the samples of one frame are adjacent.
///
/// ```swift
/// let speech = try AudioBuffer(contentsOf: "speech.wav")
/// let input = try speech.mono().converted(toSampleRate: 16_000)
/// print(input.duration, input.samples.count)
/// ```
public struct AudioBuffer: Sendable, Hashable {
  /// The samples of all channels, frame by frame.
  public let samples: [Float]
  /// The number of frames per second.
  public let sampleRate: Int
  /// The number of channels.
  public let channelCount: Int

  /// Creates audio from interleaved samples.
  ///
  /// - Parameters:
  ///   - samples: The samples of all channels, frame by frame.
  ///   - sampleRate: The number of frames per second, from 1 to 768,000.
  ///   - channelCount: The number of channels, from 1 to 64.
  /// - Throws: ``AudioError`` if a number is out of range, or the last frame is incomplete.
  public init(samples: [Float], sampleRate: Int, channelCount: Int = 1) throws(AudioError) {
    try AudioLimits.validate(sampleRate: sampleRate, channelCount: channelCount)
    try AudioLimits.validate(samples: samples.count)
    guard samples.count.isMultiple(of: channelCount) else {
      throw AudioError(
        .invalidFormat(
          message: "\(samples.count) samples are not a multiple of \(channelCount) channels"))
    }
    self.init(unchecked: samples, sampleRate: sampleRate, channelCount: channelCount)
  }

  /// Creates audio from numbers that are known to be valid.
  init(unchecked samples: [Float], sampleRate: Int, channelCount: Int) {
    self.samples = samples
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }
}

extension AudioBuffer {
  /// The number of samples of each channel.
  public var frameCount: Int { samples.count / channelCount }

  /// The duration in seconds.
  public var duration: Double { Double(frameCount) / Double(sampleRate) }

  /// Returns the samples of one channel.
  ///
  /// - Parameter index: The index of the channel, less than ``channelCount``.
  /// - Returns: A sample of each frame.
  public func channel(_ index: Int) -> [Float] {
    precondition(0..<channelCount ~= index, "there is no channel \(index)")
    return stride(from: index, to: samples.count, by: channelCount).map { samples[$0] }
  }

  /// Returns audio with one channel, the mean of all channels.
  public func mono() -> AudioBuffer {
    guard channelCount > 1 else { return self }
    return AudioBuffer(
      unchecked: SampleKernels.mean(ofInterleaved: samples, channelCount: channelCount),
      sampleRate: sampleRate, channelCount: 1)
  }
}
