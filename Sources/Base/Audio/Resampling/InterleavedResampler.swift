/// A converter of interleaved channels between two sample rates.
struct InterleavedResampler: Sendable {
  private var channels: [Resampler]

  /// Creates a resampler for valid rates.
  init(from inputRate: Int, to outputRate: Int, channelCount: Int) {
    let filter = ResamplingFilter(from: inputRate, to: outputRate)
    channels = (0..<channelCount).map { _ in Resampler(filter) }
  }

  /// Appends the outputs that more frames make available.
  mutating func append(_ input: ArraySlice<Float>, to output: inout [Float]) {
    guard channels.count > 1 else {
      channels[0].append(input, to: &output)
      return
    }
    let frameCount = input.count / channels.count
    for start in stride(from: 0, to: frameCount, by: Self.portion) {
      let frames = start..<min(start + Self.portion, frameCount)
      var outputs: [[Float]] = []
      for index in channels.indices {
        let samples = frames.map { input[input.startIndex + $0 * channels.count + index] }
        var resampled: [Float] = []
        channels[index].append(samples, to: &resampled)
        outputs.append(resampled)
      }
      interleave(outputs, to: &output)
    }
  }

  /// Appends the outputs at the end of the input.
  mutating func finish(to output: inout [Float]) {
    var outputs: [[Float]] = []
    for index in channels.indices {
      var resampled: [Float] = []
      channels[index].finish(to: &resampled)
      outputs.append(resampled)
    }
    interleave(outputs, to: &output)
  }

  /// The number of frames that are processed at a time.
  private static let portion = 1 << 14

  private func interleave(_ channels: [[Float]], to output: inout [Float]) {
    for frame in channels[0].indices {
      for channel in channels { output.append(channel[frame]) }
    }
  }
}
