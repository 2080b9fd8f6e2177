import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOAudio

/// Tests of `LogMelSpectrogram`, with features of librosa and of NumPy.
struct LogMelSpectrogramTests {
  struct Golden: Decodable {
    let frameCount: Int
    let features: [Float]
  }

  /// The parameters of the golden features, by name.
  static let parameters: [String: LogMelSpectrogram.Parameters] = [
    "yamnet": .yamnet, "whisper": .whisper, "micro": micro, "decibels": decibels, "htk": htk,
    "magnitudes": magnitudes, "hamming": hamming,
  ]

  private static var micro: LogMelSpectrogram.Parameters {
    var parameters = LogMelSpectrogram.Parameters(
      sampleRate: 16_000, windowLength: 480, hop: 320, fftSize: 512, bandCount: 40,
      minFrequency: 125, maxFrequency: 7500)
    parameters.triangles = .mels
    parameters.compression = .natural(offset: 1e-6)
    return parameters
  }

  private static var decibels: LogMelSpectrogram.Parameters {
    var parameters = LogMelSpectrogram.Parameters(
      sampleRate: 16_000, windowLength: 1024, hop: 256, fftSize: 1024, bandCount: 32)
    parameters.scale = .slaney
    parameters.isNormalized = true
    parameters.framing = .centeredSilent
    parameters.compression = .decibels(floor: 1e-10, range: 20)
    return parameters
  }

  private static var htk: LogMelSpectrogram.Parameters {
    var parameters = LogMelSpectrogram.Parameters(
      sampleRate: 16_000, windowLength: 400, hop: 200, fftSize: 480, bandCount: 40,
      minFrequency: 50, maxFrequency: 7000)
    parameters.framing = .transforms
    parameters.compression = .natural()
    return parameters
  }

  private static var hamming: LogMelSpectrogram.Parameters {
    var parameters = LogMelSpectrogram.Parameters(
      sampleRate: 16_000, windowLength: 400, hop: 160, fftSize: 512, bandCount: 40)
    parameters.windowShape = .hamming
    parameters.scale = .slaney
    parameters.isNormalized = true
    parameters.framing = .transforms
    var compression = LogMelSpectrogram.Parameters.Compression.base10(floor: 0)
    compression.offset = 1e-10
    parameters.compression = compression
    return parameters
  }

  private static var magnitudes: LogMelSpectrogram.Parameters {
    var parameters = LogMelSpectrogram.Parameters(
      sampleRate: 16_000, windowLength: 301, hop: 150, fftSize: 600, bandCount: 20)
    parameters.scale = .slaney
    parameters.isNormalized = true
    parameters.power = .magnitude
    parameters.framing = .centeredMirrored
    return parameters
  }

  @Test(arguments: parameters.keys.sorted())
  func `Features equal those of the reference`(name: String) throws {
    let file: [String: Golden] = try AudioFixtures.decode("spectrograms.json")
    let golden = try #require(file[name])
    let audio = try AudioBuffer(decoding: AudioFixtures.bytes("signal.wav"))
    let spectrogram = try LogMelSpectrogram(#require(Self.parameters[name]))
    let features = spectrogram.features(of: audio.samples)
    #expect(spectrogram.frameCount(sampleCount: audio.frameCount) == golden.frameCount)
    #expect(features.count == golden.features.count)
    let difference = zip(features, golden.features).map { abs($0 - $1) }.max() ?? .nan
    #expect(difference < 1e-4)
  }

  @Test func `Features are ordered by band on request`() throws {
    let audio = try AudioBuffer(decoding: AudioFixtures.bytes("signal.wav"))
    let spectrogram = try LogMelSpectrogram(.yamnet)
    let frames = spectrogram.features(of: audio.samples)
    let bands = spectrogram.features(of: audio.samples, layout: .bands)
    let count = spectrogram.frameCount(sampleCount: audio.frameCount)
    #expect(bands.indices.allSatisfy { bands[$0] == frames[$0 % count * 64 + $0 / count] })
  }

  @Test func `Audio without samples has no features`() throws {
    for parameters in Self.parameters.values {
      let spectrogram = try LogMelSpectrogram(parameters)
      #expect(spectrogram.features(of: []).isEmpty)
    }
  }

  @Test(arguments: [1, 2, 3, 150, 399, 400, 401, 560])
  func `Short audio has as many features as frames`(count: Int) throws {
    let samples = (0..<count).map { Float($0 % 7) / 7 }
    for parameters in Self.parameters.values {
      let spectrogram = try LogMelSpectrogram(parameters)
      let frames = spectrogram.frameCount(sampleCount: count)
      let features = spectrogram.features(of: samples)
      #expect(features.count == frames * parameters.bandCount)
    }
  }

  @Test func `YAMNet has 96 frames per 0.96 seconds and a half window`() throws {
    let spectrogram = try LogMelSpectrogram(.yamnet)
    #expect(spectrogram.frameCount(sampleCount: 15_600) == 96)
    #expect(try LogMelSpectrogram(.whisper).frameCount(sampleCount: 480_000) == 3000)
  }

  @Test func `A spectrum has the energy of a tone at its frequency`() throws {
    for size in [2, 4, 6, 8, 10, 12, 30, 32, 60, 120, 250, 400, 480, 512, 1024] {
      let kernel = RealFourierTransform(size: size)
      for frequency in Set([0, 1, size / 3, size / 2]) {
        var input = RealFourierTransform.Complexes(count: size / 2)
        for index in 0..<size {
          let angle = 2 * Double.pi * Double(frequency * index % size) / Double(size)
          let value = SIMD8<Float>(repeating: Float(cos(angle)))
          if index.isMultiple(of: 2) {
            input.real[index / 2] = value
          } else {
            input.imaginary[index / 2] = value
          }
        }
        var scratch = input
        var energies = [SIMD8<Float>](repeating: .zero, count: size / 2 + 1)
        kernel.energies(of: &input, scratch: &scratch, into: &energies)
        let isEdge = frequency == 0 || 2 * frequency == size
        let amplitude = Float(isEdge ? size : size / 2)
        for (index, energy) in energies.enumerated() {
          let expected = index == frequency ? amplitude * amplitude : 0
          #expect(
            isClose(energy[7], to: expected, within: 1e-5 * amplitude * amplitude + 1e-6),
            "\(size) \(frequency) \(index)")
        }
      }
    }
  }

  /// The parameters that a change makes invalid.
  static let invalid: [@Sendable (inout LogMelSpectrogram.Parameters) -> Void] = [
    { $0.sampleRate = 0 }, { $0.windowLength = 0 }, { $0.windowLength = 513 }, { $0.hop = 0 },
    { $0.fftSize = 511 }, { $0.fftSize = 514 }, { $0.fftSize = 1 << 20 }, { $0.bandCount = 0 },
    { $0.bandCount = .max }, { $0.minFrequency = -1 }, { $0.minFrequency = .nan },
    { $0.maxFrequency = 100 }, { $0.maxFrequency = .infinity }, { $0.hop = -1 },
  ]

  @Test(arguments: invalid.indices)
  func `Parameters out of range are rejected`(index: Int) {
    var parameters = LogMelSpectrogram.Parameters.yamnet
    Self.invalid[index](&parameters)
    #expect(throws: AudioError.self) { try LogMelSpectrogram(parameters) }
  }
}
