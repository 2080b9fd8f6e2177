import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOAudio

/// Tests of `MicroFrontend`, with features of the frontend of TensorFlow Lite Micro, written by
/// `Scripts/fixtures/golden/make-micro-features.py`.
struct MicroFrontendTests {
  private static func path(_ name: String) -> String {
    ProjectFiles.path("Tests/Fixtures/Audio/\(name)")
  }

  private static var samples: [Float] {
    get throws { try AudioBuffer(contentsOf: path("micro-features.wav")).samples }
  }

  private func features(of samples: [Float]) throws -> [[Int32]] {
    let frontend = try MicroFrontend(.init())
    var noise = frontend.initialNoise
    return (0..<frontend.frameCount(sampleCount: samples.count)).map { frame in
      frontend.features(of: samples[frame * 160..<frame * 160 + 480], &noise)
    }
  }

  @Test func `Features are those of the original program, bit by bit`() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Self.path("micro-features.json")))
    let golden = try JSONDecoder().decode([[Int32]].self, from: data)
    let found = try features(of: Self.samples)
    #expect(found.count == golden.count)
    for (index, (row, expected)) in zip(found, golden).enumerated() {
      #expect(row == expected, "frame \(index)")
    }
  }

  @Test func `Silence has no features, and numbers that are none count as silence`() throws {
    let silence = [Float](repeating: 0, count: 1600)
    let zeros = [Int32](repeating: 0, count: 40)
    #expect(try features(of: silence) == Array(repeating: zeros, count: 8))
    #expect(
      try features(of: [Float](repeating: .nan, count: 1600)) == Array(repeating: zeros, count: 8))
  }

  @Test func `Samples beyond the range are limited`() throws {
    let loud = (0..<1600).map { Float($0 / 20 % 2 == 0 ? 5 : -5) }
    let limited = loud.map { max(-1, min(32_767 / 32_768, $0)) }
    #expect(try features(of: loud) == features(of: limited))
    #expect(try features(of: loud.map { $0 * .infinity }) == features(of: limited))
  }

  @Test func `Each frame follows the noise of those before`() throws {
    let frontend = try MicroFrontend(.init())
    let frame = try Self.samples[2000..<2480]
    var noise = frontend.initialNoise
    let first = frontend.features(of: frame, &noise)
    var last = first
    for _ in 0..<200 { last = frontend.features(of: frame, &noise) }
    // What is constant is noise, which is subtracted.
    #expect(zip(first, last).allSatisfy { $0 >= $1 } && first != last)
  }

  @Test func `Parameters that the frontend does not have are rejected`() throws {
    for change: (inout MicroFrontend.Parameters) -> Void in [
      { $0.fftSize = 1024 }, { $0.fftSize = 256 }, { $0.windowLength = 513 }, { $0.hop = 0 },
      { $0.bandCount = 0 }, { $0.bandCount = 129 }, { $0.maxFrequency = 8000 },
      { $0.minFrequency = 7500 }, { $0.sampleRate = 0 },
    ] {
      var parameters = MicroFrontend.Parameters()
      change(&parameters)
      #expect(throws: AudioError.self) { try MicroFrontend(parameters) }
    }
    var parameters = MicroFrontend.Parameters()
    (parameters.fftSize, parameters.windowLength) = (2048, 2000)
    #expect(throws: Never.self) { try MicroFrontend(parameters) }
  }
}
