/// A converter of one channel between two sample rates, which accepts samples in any portions.
///
/// The result equals that of `scipy.signal.resample_poly` with its default filter up to rounding:
/// output `k` is at the time `k / outputRate`, and the audio is preceded and followed by silence.
/// It does not depend on the portions. Equal rates copy the samples.
///
/// The filter's weights use up to 80 MB for rates of hundreds of thousands without a common
/// divisor, and 36 kB from 44,100 to 16,000 Hz.
///
/// ```swift
/// var resampler = try Resampler(from: 44_100, to: 16_000)
/// var output: [Float] = []
/// for block in blocks { resampler.append(block, to: &output) }
/// resampler.finish(to: &output)
/// ```
package struct Resampler: Sendable {
  private let filter: ResamplingFilter
  /// The input that still has an influence.
  private var samples: [Float]
  private var position = ResamplingKernel.Position(start: 0, phase: 0)

  /// Creates a resampler.
  ///
  /// - Throws: ``AudioError`` if a rate is not in 1…768,000.
  package init(from inputRate: Int, to outputRate: Int) throws(AudioError) {
    try AudioLimits.validate(sampleRate: inputRate)
    try AudioLimits.validate(sampleRate: outputRate)
    self.init(ResamplingFilter(from: inputRate, to: outputRate))
  }

  /// Creates a resampler with a filter that several channels share.
  init(_ filter: ResamplingFilter) {
    self.filter = filter
    // Silence precedes the audio.
    samples = [Float](repeating: 0, count: filter.radius)
  }

  /// Appends the outputs that more input makes available.
  package mutating func append(_ input: [Float], to output: inout [Float]) {
    append(input[...], to: &output)
  }

  /// Appends the outputs that more input makes available.
  package mutating func append(_ input: ArraySlice<Float>, to output: inout [Float]) {
    guard !isCopy else {
      output += input
      return
    }
    // Portions bound the memory.
    for start in stride(from: input.startIndex, to: input.endIndex, by: Self.portion) {
      samples += input[start..<min(start + Self.portion, input.endIndex)]
      produce(upTo: samples.count - filter.tapCount, to: &output)
      let used = min(position.start, samples.count)
      samples.removeFirst(used)
      position.start -= used
    }
  }

  /// Appends the outputs at the end of the input, and makes the resampler ready for other audio.
  package mutating func finish(to output: inout [Float]) {
    guard !isCopy else { return }
    // There is an output for every position before the end of the input.
    let last = samples.count - filter.radius - 1
    samples += repeatElement(0, count: filter.tapCount)
    produce(upTo: last, to: &output)
    self = Resampler(filter)
  }

  /// The number of input samples that are processed at a time.
  private static let portion = 1 << 14

  private var isCopy: Bool { filter.up == filter.down }

  /// Appends the outputs whose first sample has at most an index.
  private mutating func produce(upTo last: Int, to output: inout [Float]) {
    let steps = last + 1 - position.start
    guard steps > 0 else { return }
    let count = (steps * filter.up - position.phase + filter.down - 1) / filter.down
    ResamplingKernel.append(
      count, filter: filter, position: &position, samples: samples, to: &output)
  }
}

extension Resampler {
  /// Returns the number of outputs for a number of inputs; `nil` if it exceeds the range of `Int`.
  package static func outputCount(_ inputCount: Int, from inputRate: Int, to outputRate: Int)
    -> Int?
  {
    let (scaled, overflow) = inputCount.multipliedReportingOverflow(by: outputRate)
    guard !overflow, inputRate > 0 else { return nil }
    return scaled / inputRate + (scaled.isMultiple(of: inputRate) ? 0 : 1)
  }
}
