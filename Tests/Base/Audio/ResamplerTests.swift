import TensorIOTestSupport
import Testing

@testable import TensorIOAudio

/// Tests of `Resampler`, with samples of `scipy.signal.resample_poly`.
struct ResamplerTests {
  struct Golden: Decodable, Sendable, CustomStringConvertible {
    let from: Int
    let to: Int
    let count: Int
    let samples: [Float]
    var description: String { "\(from) to \(to)" }
  }

  struct GoldenFile: Decodable {
    let input: [Float]
    let cases: [Golden]
  }

  static let file: GoldenFile? = try? AudioFixtures.decode("resampling.json")
  static let cases: [Golden] = file?.cases ?? []

  private func input(_ golden: Golden) -> [Float] {
    Array(Self.file?.input.prefix(golden.count) ?? [])
  }

  @Test(arguments: cases)
  func `Resampled audio equals that of the reference`(golden: Golden) throws {
    let audio = try AudioBuffer(samples: input(golden), sampleRate: golden.from)
    let resampled = try audio.converted(toSampleRate: golden.to)
    #expect(resampled.sampleRate == golden.to)
    #expect(isClose(resampled.samples, to: golden.samples, within: 1e-5))
  }

  @Test(arguments: cases)
  func `The result does not depend on the portions`(golden: Golden) throws {
    let samples = input(golden)
    let whole = try AudioBuffer(samples: samples, sampleRate: golden.from)
      .converted(toSampleRate: golden.to).samples
    var generator = SeededGenerator(seed: 5)
    for limit in [1, 3, 50, 1000] {
      var resampler = try Resampler(from: golden.from, to: golden.to)
      // A finished resampler is ready for other audio.
      for _ in 0..<2 {
        var output: [Float] = []
        var rest = samples[...]
        while !rest.isEmpty {
          let portion = rest.prefix(Int.random(in: 1...limit, using: &generator))
          resampler.append(portion, to: &output)
          rest = rest.dropFirst(portion.count)
        }
        resampler.finish(to: &output)
        #expect(output == whole)
      }
    }
  }

  @Test func `Long audio does not depend on the portions`() throws {
    var generator = SeededGenerator(seed: 9)
    let samples = (0..<40_000).map { _ in Float.random(in: -1...1, using: &generator) }
    var whole: [Float] = []
    var resampler = try Resampler(from: 44_100, to: 16_000)
    resampler.append(samples, to: &whole)
    resampler.finish(to: &whole)
    #expect(whole.count == Resampler.outputCount(40_000, from: 44_100, to: 16_000))
    var portioned: [Float] = []
    for start in stride(from: 0, to: samples.count, by: 997) {
      resampler.append(samples[start..<min(start + 997, samples.count)], to: &portioned)
    }
    resampler.finish(to: &portioned)
    #expect(portioned == whole)
  }

  @Test func `Channels are resampled separately`() throws {
    let golden = try #require(Self.cases.first)
    let left = input(golden)
    let right = Array(left.reversed())
    let stereo = try AudioBuffer(
      samples: zip(left, right).flatMap { [$0, $1] }, sampleRate: 44_100, channelCount: 2
    ).converted(toSampleRate: 16_000)
    #expect(stereo.channel(0) == (try mono(left)))
    #expect(stereo.channel(1) == (try mono(right)))
  }

  private func mono(_ samples: [Float]) throws -> [Float] {
    try AudioBuffer(samples: samples, sampleRate: 44_100).converted(toSampleRate: 16_000).samples
  }

  @Test func `Empty audio remains empty`() throws {
    let audio = try AudioBuffer(samples: [], sampleRate: 44_100, channelCount: 2)
    let converted = try audio.converted(toSampleRate: 8000)
    #expect(converted.samples.isEmpty && converted.channelCount == 2)
  }

  @Test func `A constant remains a constant`() throws {
    let audio = try AudioBuffer(
      samples: [Float](repeating: 0.5, count: 2000), sampleRate: 48_000)
    let samples = try audio.converted(toSampleRate: 44_100).samples
    #expect(samples[100..<1700].allSatisfy { isClose($0, to: 0.5, within: 1e-3) })
  }

  @Test func `A result with too many samples is rejected`() throws {
    let audio = try AudioBuffer(samples: [Float](repeating: 0, count: 1000), sampleRate: 1)
    #expect(throws: AudioError(.tooLong(samples: 768_000_000, limit: 1 << 29))) {
      try audio.converted(toSampleRate: 768_000)
    }
  }

  @Test(arguments: [0, -1, 768_001])
  func `A rate out of range is rejected`(rate: Int) throws {
    #expect(throws: AudioError.self) { try Resampler(from: 8000, to: rate) }
    #expect(throws: AudioError.self) { try Resampler(from: rate, to: 8000) }
    let audio = try AudioBuffer(samples: [], sampleRate: 8000)
    #expect(throws: AudioError.self) { try audio.converted(toSampleRate: rate) }
  }
}
