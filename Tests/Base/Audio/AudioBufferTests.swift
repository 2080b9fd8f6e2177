import Foundation
import Testing

@testable import TensorIOAudio

/// Tests of `AudioBuffer`.
struct AudioBufferTests {
  @Test func `The number of frames and the duration follow from the samples`() throws {
    let audio = try AudioBuffer(samples: [1, 2, 3, 4, 5, 6], sampleRate: 2, channelCount: 2)
    #expect(audio.frameCount == 3)
    #expect(audio.duration == 1.5)
    #expect(audio.channel(0) == [1, 3, 5])
    #expect(audio.channel(1) == [2, 4, 6])
  }

  @Test func `Mono audio is the mean of the channels`() throws {
    let stereo = try AudioBuffer(samples: [1, 2, 0.5, -0.5], sampleRate: 8, channelCount: 2)
    #expect(stereo.mono().samples == [1.5, 0])
    #expect(stereo.mono().channelCount == 1)
    let three = try AudioBuffer(samples: [1, 2, 6], sampleRate: 8, channelCount: 3)
    #expect(three.mono().samples == [3])
  }

  @Test(arguments: [(0, 1), (768_001, 1), (8000, 0), (8000, 65), (8000, 2)])
  func `An invalid rate, channel count or number of samples is rejected`(
    rate: Int, channels: Int
  ) {
    #expect(throws: AudioError.self) {
      try AudioBuffer(samples: [1, 2, 3], sampleRate: rate, channelCount: channels)
    }
  }

  @Test func `Integers are written rounded and clamped`() throws {
    let audio = try AudioBuffer(
      samples: [0, 1, -1, 2, -.infinity, .nan, 0.5, Float(1.4) / 32_768], sampleRate: 8000)
    let read = try AudioBuffer(decoding: audio.encoded())
    let top: Float = 32_767.0 / 32_768
    #expect(read.samples == [0, top, -1, top, -1, 0, 0.5, Float(1) / 32_768])
  }

  @Test func `Floats are written without loss`() throws {
    let samples: [Float] = [0, 1.5, -3, .leastNonzeroMagnitude, 0.1, 0.7]
    let audio = try AudioBuffer(samples: samples, sampleRate: 44_100, channelCount: 2)
    #expect(try AudioBuffer(decoding: audio.encoded(as: .float32)) == audio)
    #expect(try WAVHeader(of: audio.encoded(as: .float32)).format.encoding == .float32)
  }

  @Test func `A written file is read`() throws {
    let path = NSTemporaryDirectory() + UUID().uuidString + ".wav"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let audio = try AudioBuffer(samples: [0.25, -0.25], sampleRate: 16_000)
    try audio.write(to: path)
    #expect(try AudioBuffer(contentsOf: path) == audio)
  }

  @Test func `An error names the file`() {
    do throws(AudioError) {
      _ = try AudioBuffer(contentsOf: "missing.wav")
      Issue.record("the file exists")
    } catch {
      #expect(error.code == "unreadable-audio")
      #expect(
        error.description == "missing.wav: cannot read the audio: no such file or directory")
    }
  }

  @Test func `A file that cannot be written is reported`() throws {
    let audio = try AudioBuffer(samples: [0], sampleRate: 8000)
    do throws(AudioError) {
      try audio.write(to: "/dev/null/a.wav")
      Issue.record("the file was written")
    } catch {
      #expect(error.code == "unwritable" && error.file == "/dev/null/a.wav")
    }
  }

  @Test func `The same sample rate changes nothing`() throws {
    let audio = try AudioBuffer(samples: [1, -1, 0], sampleRate: 8000)
    #expect(try audio.converted(toSampleRate: 8000) == audio)
  }

  @Test func `A WAV file is recognized by its first bytes`() throws {
    let file = try AudioBuffer(samples: [0.5], sampleRate: 8000).encoded()
    #expect(WAVHeader.isSignature(beginning: Array(file.prefix(12))))
    #expect(!WAVHeader.isSignature(beginning: Array(file.prefix(11))))
    #expect(!WAVHeader.isSignature(beginning: Array("RIFF....WEBP".utf8)))
  }
}
