/// A decoder of raw samples that arrive in blocks, as from a pipe.
///
/// Blocks may end within a frame. The samples do not depend on the blocks.
///
/// ```swift
/// let format = try AudioFormat(encoding: .int16, sampleRate: 44_100, channelCount: 2)
/// var decoder = try AudioStreamDecoder(format, sampleRate: 16_000, mixesToMono: true)
/// var samples: [Float] = []
/// while let block = readBlock() { decoder.append(block, to: &samples) }
/// decoder.finish(to: &samples)
/// ```
package struct AudioStreamDecoder: Sendable {
  /// The format of the bytes.
  package let format: AudioFormat
  /// The sample rate of the output.
  package let sampleRate: Int
  /// The number of interleaved channels of the output.
  package let channelCount: Int

  private var resampler: InterleavedResampler?
  /// The beginning of a frame that is not complete yet.
  private var partialFrame: [UInt8] = []
  private var decoded: [Float] = []

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - format: The format of the bytes.
  ///   - sampleRate: The sample rate of the output; `nil` keeps that of the input.
  ///   - mixesToMono: Whether the output has one channel, the mean of those of the input.
  /// - Throws: ``AudioError`` if the rate is not in 1…768,000.
  package init(
    _ format: AudioFormat, sampleRate: Int? = nil, mixesToMono: Bool
  ) throws(AudioError) {
    let sampleRate = sampleRate ?? format.sampleRate
    try AudioLimits.validate(sampleRate: sampleRate)
    self.format = format
    self.sampleRate = sampleRate
    channelCount = mixesToMono ? 1 : format.channelCount
    if sampleRate != format.sampleRate {
      resampler = InterleavedResampler(
        from: format.sampleRate, to: sampleRate, channelCount: channelCount)
    }
  }

  /// The number of frames after which the output of a block remains small.
  private var framesPerStep: Int {
    let frames = 1 << 14
    return max(1, min(frames, frames * format.sampleRate / sampleRate))
  }

  /// Appends the samples that a block of bytes makes available.
  package mutating func append(_ bytes: [UInt8], to samples: inout [Float]) {
    append(bytes, in: bytes.indices, to: &samples)
  }

  /// Appends the samples that a range of bytes makes available.
  package mutating func append(
    _ bytes: [UInt8], in range: Range<Int>, to samples: inout [Float]
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    let frameSize = format.bytesPerFrame
    var start = range.lowerBound
    if !partialFrame.isEmpty {
      start = min(start + frameSize - partialFrame.count, range.upperBound)
      partialFrame += bytes[range.lowerBound..<start]
      guard partialFrame.count == frameSize else { return }
      decode(partialFrame, at: partialFrame.indices, to: &samples)
      partialFrame.removeAll()
    }
    let end = range.upperBound - (range.upperBound - start) % frameSize
    while start < end {
      let next = min(start + framesPerStep * frameSize, end)
      decode(bytes, at: start..<next, to: &samples)
      start = next
    }
    partialFrame += bytes[end..<range.upperBound]
  }

  /// Appends the samples at the end of the input.
  ///
  /// An incomplete frame is dropped.
  package mutating func finish(to samples: inout [Float]) {
    partialFrame.removeAll()
    resampler?.finish(to: &samples)
  }

  /// Decodes complete frames.
  private mutating func decode(_ bytes: [UInt8], at range: Range<Int>, to samples: inout [Float]) {
    decoded.removeAll(keepingCapacity: true)
    SampleKernels.append(bytes.span, at: range, format.encoding, to: &decoded)
    if channelCount < format.channelCount {
      SampleKernels.mixToMono(&decoded, channelCount: format.channelCount)
    }
    if resampler == nil {
      samples += decoded
    } else {
      resampler?.append(decoded[...], to: &samples)
    }
  }
}
