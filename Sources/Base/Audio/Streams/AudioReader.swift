/// A reader of encoded audio in blocks.
///
/// Apart from the encoded bytes, it needs memory for a few blocks only, so that long recordings
/// are never decoded as a whole. The samples equal those of `AudioBuffer.mono()` and
/// `AudioBuffer.converted(toSampleRate:)`.
///
/// ```swift
/// var reader = try AudioReader(decoding: bytes, sampleRate: 16_000, mixesToMono: true)
/// var samples: [Float] = []
/// while reader.read(to: &samples) {
///   process(samples)
///   samples.removeAll(keepingCapacity: true)
/// }
/// ```
package struct AudioReader: Sendable {
  private let bytes: [UInt8]
  private let data: Range<Int>
  private var decoder: AudioStreamDecoder
  private var position: Int
  /// Whether all samples have been read.
  package private(set) var isAtEnd = false

  /// Creates a reader of a WAV file in memory.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - sampleRate: The sample rate of the output; `nil` keeps that of the file.
  ///   - mixesToMono: Whether the output has one channel, the mean of those of the file.
  /// - Throws: ``AudioError`` if the header is invalid or the rate is not in 1…768,000.
  package init(
    decoding bytes: [UInt8], sampleRate: Int? = nil, mixesToMono: Bool
  ) throws(AudioError) {
    let header = try WAVHeader(of: bytes)
    try self.init(
      bytes, at: header.data, header.format, sampleRate: sampleRate, mixesToMono: mixesToMono)
  }

  /// Creates a reader of samples without a header.
  package init(
    raw bytes: [UInt8], format: AudioFormat, sampleRate: Int? = nil, mixesToMono: Bool
  ) throws(AudioError) {
    try self.init(
      bytes, at: bytes.indices, format, sampleRate: sampleRate, mixesToMono: mixesToMono)
  }

  private init(
    _ bytes: [UInt8], at data: Range<Int>, _ format: AudioFormat, sampleRate: Int?,
    mixesToMono: Bool
  ) throws(AudioError) {
    decoder = try AudioStreamDecoder(format, sampleRate: sampleRate, mixesToMono: mixesToMono)
    self.bytes = bytes
    self.data = data
    position = data.lowerBound
  }

  /// The format of the encoded samples.
  package var format: AudioFormat { decoder.format }
  /// The sample rate of the output.
  package var sampleRate: Int { decoder.sampleRate }
  /// The number of interleaved channels of the output.
  package var channelCount: Int { decoder.channelCount }

  /// The number of encoded frames.
  package var inputFrameCount: Int { data.count / format.bytesPerFrame }

  /// The number of frames of the whole output; `nil` if it exceeds the range of `Int`.
  package var frameCount: Int? {
    Resampler.outputCount(inputFrameCount, from: format.sampleRate, to: sampleRate)
  }

  /// The duration in seconds.
  package var duration: Double { Double(inputFrameCount) / Double(format.sampleRate) }

  /// Appends the samples of the next block.
  ///
  /// - Parameter samples: The array to which the samples are appended; there may be none.
  /// - Returns: Whether there may be more samples, including those of this call.
  package mutating func read(to samples: inout [Float]) -> Bool {
    guard !isAtEnd else { return false }
    if position < data.upperBound {
      let frames = max(
        1, min(Self.maxFrames, Self.maxFrames * format.sampleRate / sampleRate))
      let end = min(position + frames * format.bytesPerFrame, data.upperBound)
      decoder.append(bytes, in: position..<end, to: &samples)
      position = end
    } else {
      decoder.finish(to: &samples)
      isAtEnd = true
    }
    return true
  }

  /// The maximum number of frames of a block, encoded and decoded.
  private static let maxFrames = 1 << 14
}
