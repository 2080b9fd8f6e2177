import TensorIOTestSupport
import Testing

@testable import TensorIOAudio

/// Tests of `WAVStreamDecoder`.
struct WAVStreamDecoderTests {
  private func samples(
    of bytes: [UInt8], blocks: Int, sampleRate: Int? = nil
  ) throws -> [Float] {
    var decoder = WAVStreamDecoder(sampleRate: sampleRate, mixesToMono: false)
    var samples: [Float] = []
    for start in stride(from: 0, to: bytes.count, by: blocks) {
      try decoder.append(Array(bytes[start..<min(start + blocks, bytes.count)]), to: &samples)
    }
    try decoder.finish(to: &samples)
    return samples
  }

  @Test(arguments: WAVGoldenTests.cases)
  func `Blocks of any size return the samples of the file`(golden: WAVGoldenTests.Golden) throws {
    let bytes = try AudioFixtures.bytes("WAV/\(golden.name).wav")
    for blocks in [1, 7, 64, 10_000] {
      #expect(try samples(of: bytes, blocks: blocks) == golden.samples)
    }
  }

  @Test func `Blocks are resampled like the file`() throws {
    let bytes = try AudioFixtures.bytes("signal.wav")
    let expected = try AudioBuffer(decoding: bytes).converted(toSampleRate: 8000)
    #expect(try samples(of: bytes, blocks: 100, sampleRate: 8000) == expected.samples)
  }

  @Test func `Bytes after the declared size are ignored`() throws {
    let wav = ForgedWAV(trailer: Array("LIST".utf8) + [0, 0, 0, 0])
    #expect(try samples(of: wav.bytes, blocks: 5).count == 4)
  }

  @Test func `Data of unknown size extends to the end of the input`() throws {
    for size in [0, 0xFFFF_FFFF] as [UInt32] {
      #expect(try samples(of: ForgedWAV(dataSize: size).bytes, blocks: 3).count == 4)
    }
  }

  @Test func `An incomplete or invalid header is rejected`() {
    let bytes = ForgedWAV().bytes
    #expect(throws: AudioError(.truncated)) { try samples(of: Array(bytes.prefix(43)), blocks: 9) }
    #expect(throws: AudioError(.truncated)) { try samples(of: [], blocks: 9) }
    #expect(throws: AudioError(.unknownFormat)) {
      try samples(of: Array("abcdefgh".utf8), blocks: 3)
    }
  }

  @Test func `A header that is too long is rejected`() {
    let chunk = Array("junk".utf8) + ForgedWAV.bytes(UInt32(1 << 21))
    let wav = ForgedWAV(extra: chunk + [UInt8](repeating: 0, count: 1 << 21))
    #expect(throws: AudioError(.truncated)) { try samples(of: wav.bytes, blocks: 1 << 18) }
  }
}
