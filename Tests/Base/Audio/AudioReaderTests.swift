import TensorIOTestSupport
import Testing

@testable import TensorIOAudio

/// Tests of `AudioReader`, `AudioStreamDecoder` and the windows of both.
struct AudioReaderTests {
  private static let encodings = AudioEncoding.allCases

  private func stereo(_ frames: Int, rate: Int = 44_100) throws -> AudioBuffer {
    var generator = SeededGenerator(seed: 3)
    let samples = (0..<frames * 2).map { _ in Float.random(in: -1...1, using: &generator) }
    return try AudioBuffer(samples: samples, sampleRate: rate, channelCount: 2)
  }

  private func samples(of reader: AudioReader) -> [Float] {
    var reader = reader
    var samples: [Float] = []
    while reader.read(to: &samples) {}
    return samples
  }

  @Test(arguments: [44_100, 16_000, 22_050], [true, false])
  func `A reader returns the samples of the whole audio`(rate: Int, isMono: Bool) throws {
    let file = try stereo(17_000).encoded()
    let audio = try AudioBuffer(decoding: file)
    let expected = try (isMono ? audio.mono() : audio).converted(toSampleRate: rate)
    let reader = try AudioReader(decoding: file, sampleRate: rate, mixesToMono: isMono)
    #expect(reader.channelCount == expected.channelCount && reader.sampleRate == rate)
    #expect(reader.frameCount == expected.frameCount)
    #expect(reader.duration == audio.duration)
    #expect(samples(of: reader) == expected.samples)
  }

  @Test func `A reader of empty audio returns no samples`() throws {
    let file = try AudioBuffer(samples: [], sampleRate: 8000).encoded()
    let reader = try AudioReader(decoding: file, sampleRate: 16_000, mixesToMono: true)
    #expect(reader.frameCount == 0 && reader.duration == 0)
    #expect(samples(of: reader).isEmpty)
  }

  @Test func `A block of a reader remains small when the rate rises`() throws {
    let file = try stereo(40, rate: 1).encoded()
    var reader = try AudioReader(decoding: file, sampleRate: 16_000, mixesToMono: true)
    var block: [Float] = []
    var total = 0
    while reader.read(to: &block) {
      #expect(block.count <= 1 << 19)
      total += block.count
      block.removeAll()
    }
    #expect(total == 640_000)
  }

  @Test(arguments: encodings)
  func `Pushed blocks of any size return the same samples`(encoding: AudioEncoding) throws {
    let format = try AudioFormat(encoding: encoding, sampleRate: 11_025, channelCount: 3)
    var generator = SeededGenerator(seed: 4)
    var bytes = (0..<format.bytesPerFrame * 500 + 1).map { _ in
      UInt8.random(in: 0...127, using: &generator)
    }
    // Finite floats.
    if encoding.bytesPerSample >= 4 { bytes = bytes.map { $0 & 0x3B } }
    let whole = try samples(
      of: AudioReader(raw: bytes, format: format, sampleRate: 16_000, mixesToMono: true))
    for limit in [1, 5, 100, 10_000] {
      var decoder = try AudioStreamDecoder(format, sampleRate: 16_000, mixesToMono: true)
      var output: [Float] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let block = rest.prefix(Int.random(in: 1...limit, using: &generator))
        decoder.append(Array(block), to: &output)
        rest = rest.dropFirst(block.count)
      }
      decoder.finish(to: &output)
      #expect(output == whole)
    }
  }

  @Test(arguments: AudioWindows.Remainder.allCases, [(4, 4), (4, 2), (4, 7), (5, 3), (1, 1)])
  func `Windows of blocks equal those of the whole audio`(
    remainder: AudioWindows.Remainder, size: (length: Int, hop: Int)
  ) throws {
    var generator = SeededGenerator(seed: 6)
    for frameCount in 0..<24 {
      let samples = (0..<frameCount * 2).map(Float.init)
      let windows = try AudioWindows(
        frameCount: frameCount, length: size.length, hop: size.hop, channelCount: 2,
        remainder: remainder)
      var expected: [(AudioWindow, [Float])] = []
      var target = [Float](repeating: .nan, count: windows.samplesPerWindow)
      for window in windows {
        windows.copy(window, of: samples, into: &target)
        expected.append((window, target))
      }

      var buffer = try AudioWindowBuffer(
        length: size.length, hop: size.hop, channelCount: 2, remainder: remainder)
      var found: [(AudioWindow, [Float])] = []
      var rest = samples[...]
      while !rest.isEmpty {
        let block = rest.prefix(2 * Int.random(in: 1...6, using: &generator))
        buffer.append(Array(block))
        rest = rest.dropFirst(block.count)
        while let window = buffer.next(into: &target) { found.append((window, target)) }
      }
      buffer.finish()
      while let window = buffer.next(into: &target) { found.append((window, target)) }
      #expect(found.map(\.0) == expected.map(\.0), "\(frameCount)")
      #expect(found.map(\.1) == expected.map(\.1), "\(frameCount)")
    }
  }

  @Test func `Windows of a file equal those of the decoded audio`() throws {
    let file = try stereo(50_000).encoded()
    let audio = try AudioBuffer(decoding: file).mono().converted(toSampleRate: 16_000)
    let windows = try AudioWindows(frameCount: audio.frameCount, length: 15_600, hop: 4000)
    var reader = try AudioWindowReader(
      AudioReader(decoding: file, sampleRate: 16_000, mixesToMono: true), length: 15_600, hop: 4000)
    #expect(reader.sampleRate == 16_000 && reader.samplesPerWindow == 15_600)
    var expected = [Float](repeating: 0, count: 15_600)
    var target = expected
    for window in windows {
      windows.copy(window, of: audio.samples, into: &expected)
      #expect(reader.next(into: &target) == window)
      #expect(target == expected)
    }
    #expect(reader.next(into: &target) == nil)
  }
}
