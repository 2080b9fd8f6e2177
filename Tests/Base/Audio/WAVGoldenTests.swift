import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOAudio

/// Tests of decoding, with samples that SciPy and audioop decoded.
struct WAVGoldenTests {
  struct Golden: Decodable, Sendable, CustomStringConvertible {
    let name: String
    let sampleRate: Int
    let channelCount: Int
    let samples: [Float]
    var description: String { name }
  }

  static let cases: [Golden] = (try? AudioFixtures.decode("wav.json")) ?? []

  @Test func `There are golden files of all encodings`() throws {
    let encodings = try Self.cases.map {
      try WAVHeader(of: AudioFixtures.bytes("WAV/\($0.name).wav")).format.encoding
    }
    #expect(Set(encodings) == Set(AudioEncoding.allCases))
  }

  @Test(arguments: cases)
  func `A file decodes to the samples of the reference`(golden: Golden) throws {
    let audio = try AudioBuffer(decoding: AudioFixtures.bytes("WAV/\(golden.name).wav"))
    #expect(audio.sampleRate == golden.sampleRate)
    #expect(audio.channelCount == golden.channelCount)
    #expect(audio.samples == golden.samples)
  }

  @Test(arguments: cases)
  func `Raw samples decode like those of a file`(golden: Golden) throws {
    let bytes = try AudioFixtures.bytes("WAV/\(golden.name).wav")
    let header = try WAVHeader(of: bytes)
    // An incomplete frame is dropped.
    let raw = Array(bytes[header.data]) + [UInt8](repeating: 1, count: 1)
    let expected = golden.samples.count + (header.format.bytesPerFrame == 1 ? 1 : 0)
    let audio = try AudioBuffer(raw: raw, format: header.format)
    #expect(audio.samples.count == expected)
    #expect(audio.samples.prefix(golden.samples.count) == golden.samples[...])
  }

  @Test(.enabled(if: SharedFixtures.areAvailable))
  func `Recorded speech decodes to its integers divided by 32,768`() throws {
    let path = SharedFixtures.path("tasks/speech.wav")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let audio = try AudioBuffer(contentsOf: path)
    #expect(audio.sampleRate == 16_000 && audio.channelCount == 1)
    let integers = stride(from: 44, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
    #expect(audio.samples == integers.map { Float($0) / 32_768 })
  }
}
