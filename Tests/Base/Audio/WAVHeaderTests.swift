import TensorIOTestSupport
import Testing

@testable import TensorIOAudio

/// Tests of WAV files that are incomplete, nonstandard or corrupt.
struct WAVHeaderTests {
  private func reason(of bytes: [UInt8]) -> AudioError.Reason? {
    do throws(AudioError) {
      _ = try AudioBuffer(decoding: bytes)
      return nil
    } catch {
      return error.reason
    }
  }

  private func samples(of wav: ForgedWAV) throws -> [Float] {
    try AudioBuffer(decoding: wav.bytes).samples
  }

  private let expected: [Float] = [0.5, -0.5, 32_767.0 / 32_768, -1]

  @Test func `A plain file decodes`() throws {
    #expect(try samples(of: ForgedWAV()) == expected)
  }

  @Test(arguments: [0, 0xFFFF_FFFF] as [UInt32])
  func `Data of unknown size extends to the end of the file`(size: UInt32) throws {
    for fileSize in [0, 36, 0xFFFF_FFFF] as [UInt32] {
      #expect(try samples(of: ForgedWAV(fileSize: fileSize, dataSize: size)) == expected)
    }
  }

  @Test func `A file without samples is an empty buffer`() throws {
    let audio = try AudioBuffer(decoding: ForgedWAV(data: []).bytes)
    #expect(audio.samples.isEmpty && audio.duration == 0 && audio.sampleRate == 8000)
    #expect(audio.mono() == audio)
  }

  @Test func `An empty data chunk in a complete file is empty`() throws {
    let list = Array("LIST".utf8) + ForgedWAV.bytes(UInt32(4)) + [1, 2, 3, 4]
    #expect(try samples(of: ForgedWAV(data: [], trailer: list)) == [])
  }

  @Test func `Truncated data has its complete frames`() throws {
    let bytes = ForgedWAV(channels: 2).bytes
    for (dropped, count) in [(0, 4), (1, 2), (3, 2), (4, 2), (5, 0), (8, 0)] {
      let audio = try AudioBuffer(decoding: bytes.dropLast(dropped))
      #expect(audio.samples == Array(expected.prefix(count)), "\(dropped)")
    }
  }

  @Test func `A data chunk that declares too much or an incomplete frame is shortened`() throws {
    #expect(try samples(of: ForgedWAV(dataSize: 0x7FFF_FFFF)) == expected)
    #expect(try samples(of: ForgedWAV(dataSize: 7)) == Array(expected.prefix(3)))
  }

  @Test func `A truncated header is rejected`() throws {
    let bytes = ForgedWAV().bytes
    for count in 0..<44 {
      let found = reason(of: Array(bytes.prefix(count)))
      #expect(found == .truncated, "\(count)")
    }
  }

  @Test func `A chunk that exceeds the file before the data is rejected`() throws {
    let chunk = Array("LIST".utf8) + ForgedWAV.bytes(UInt32(0xFFFF_FFF0)) + [1, 2]
    #expect(reason(of: ForgedWAV(extra: chunk).bytes) == .truncated)
  }

  @Test func `Chunks of odd sizes are padded`() throws {
    let chunk = Array("junk".utf8) + ForgedWAV.bytes(UInt32(3)) + [1, 2, 3, 0]
    #expect(try samples(of: ForgedWAV(extra: chunk)) == expected)
  }

  @Test func `A file with too many chunks is rejected`() throws {
    let chunk = Array("junk".utf8) + ForgedWAV.bytes(UInt32(0))
    let many = { ForgedWAV(extra: [[UInt8]](repeating: chunk, count: $0).flatMap { $0 }) }
    #expect(try samples(of: many(9_998)) == expected)
    #expect(reason(of: many(9_999).bytes) == .corrupt(message: "more than 10000 chunks"))
  }

  @Test func `Other data is not audio`() {
    #expect(reason(of: []) == .truncated)
    #expect(reason(of: Array("OggS".utf8)) == .unknownFormat)
    #expect(reason(of: ForgedWAV(signature: "RIFG").bytes) == .unknownFormat)
    #expect(reason(of: ForgedWAV(form: "AVI ").bytes) == .unknownFormat)
  }

  @Test(arguments: [
    ForgedWAV(formatSize: 14), ForgedWAV(channels: 0), ForgedWAV(rate: 0), ForgedWAV(bits: 0),
    ForgedWAV(frameSize: 0), ForgedWAV(channels: 3, frameSize: 4), ForgedWAV(frameSize: 1),
  ])
  func `A contradictory format is corrupt`(wav: ForgedWAV) {
    guard case .corrupt = reason(of: wav.bytes) else {
      Issue.record("\(String(describing: reason(of: wav.bytes)))")
      return
    }
  }

  @Test(arguments: [
    ForgedWAV(tag: 2), ForgedWAV(tag: 3), ForgedWAV(tag: 6), ForgedWAV(channels: 65),
    ForgedWAV(rate: 768_001), ForgedWAV(bits: 64), ForgedWAV(frameSize: 5),
  ])
  func `An unknown format is unsupported`(wav: ForgedWAV) {
    guard case .unsupported = reason(of: wav.bytes) else {
      Issue.record("\(String(describing: reason(of: wav.bytes)))")
      return
    }
  }

  @Test func `Data before its format is rejected`() {
    let bytes = ForgedWAV().bytes
    #expect(
      reason(of: Array(bytes[..<12] + bytes[36...]))
        == .corrupt(message: "the format chunk does not precede the samples"))
  }

  @Test func `Twelve bits are stored in the upper bits of two bytes`() throws {
    #expect(try samples(of: ForgedWAV(frameSize: 2, bits: 12)) == expected)
  }

  @Test func `The maximum rate and number of channels decode`() throws {
    let wav = ForgedWAV(
      channels: 64, rate: 768_000, data: [UInt8](repeating: 0, count: 128))
    let audio = try AudioBuffer(decoding: wav.bytes)
    #expect(audio.sampleRate == 768_000 && audio.frameCount == 1)
  }

  @Test func `A size of 64 bits that exceeds the file is shortened`() throws {
    var bytes = try AudioFixtures.bytes("WAV/rf64.wav")
    let whole = try AudioBuffer(decoding: bytes)
    bytes.replaceSubrange(28..<36, with: [UInt8](repeating: 0xFF, count: 8))
    #expect(try AudioBuffer(decoding: bytes) == whole)
  }

  @Test func `An extensible format with an unknown identifier is unsupported`() throws {
    var bytes = try AudioFixtures.bytes("WAV/s16-extensible.wav")
    bytes[50] ^= 1
    #expect(reason(of: bytes) == .unsupported("an unknown extensible WAV format"))
  }

  @Test(arguments: ["s16-2", "f64-big-endian", "u8-extensible", "rf64", "bext"])
  func `Modified files decode or are rejected`(name: String) throws {
    let original = try AudioFixtures.bytes("WAV/\(name).wav")
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let offset = Int.random(in: 0..<max(bytes.count, 1), using: &generator)
        guard bytes.indices.contains(offset) else { continue }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes.removeSubrange(offset...)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: offset)
        case 2: bytes[offset] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        default: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
      }
      guard let header = try? WAVHeader(of: bytes) else { continue }
      let audio = try AudioBuffer(decoding: bytes)
      #expect(audio.frameCount == header.frameCount)
      #expect(header.data.upperBound <= bytes.count)
    }
  }
}
