import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOSystem
import Testing

@testable import TensorIOTeaching

@Suite struct AugmentationTests {
  private static let image = Layer(
    name: "image", kind: .array(NumericLayer(shape: [1], elementType: .float32)))

  private func gradient() throws -> ImageBuffer {
    var pixels: [UInt8] = []
    for index in 0..<200 { pixels += [UInt8(index), UInt8(255 - index), UInt8(index / 20)] }
    return try ImageBuffer(width: 20, height: 10, format: .rgb, pixels: pixels)
  }

  private func changed(
    _ augmentations: Set<Augmentation>, _ value: LayerValue, seed: UInt64
  ) throws -> LayerValue {
    var random = SplitMix64(seed: seed, stream: 0)
    return try augmentations.applied(to: value, of: Self.image, &random)
  }

  private func images(_ augmentations: Set<Augmentation>) throws -> [ImageBuffer] {
    var images: [ImageBuffer] = []
    for seed in 0..<20 as Range<UInt64> {
      let value = try changed(augmentations, .image(gradient()), seed: seed)
      if case .image(let image) = value { images.append(image.upright()) }
    }
    return images
  }

  @Test func `Half of the images are mirrored`() throws {
    let original = try gradient().pixels
    var mirrored: [UInt8] = []
    for row in 0..<10 {
      for column in (0..<20).reversed() { mirrored += original.chunks[20 * row + column] }
    }
    let found = try images([.flip]).map(\.pixels)
    let count = found.count { $0 == mirrored }
    #expect(found.count == 20 && found.count { $0 == original } == 20 - count)
    #expect((4...16).contains(count), "\(count)")
  }

  @Test func `A crop keeps at least 80 % of each side`() throws {
    let found = try images([.crop])
    #expect(found.allSatisfy { (16...20).contains($0.width) && (8...10).contains($0.height) })
    #expect(Set(found.map(\.width)).count > 2)
    // The pixels are those of the original.
    let known = Set(try gradient().pixels.chunks)
    #expect(found.allSatisfy { $0.pixels.chunks.allSatisfy(known.contains) })
  }

  @Test func `Colors keep their order`() throws {
    let found = try images([.color])
    #expect(Set(found.map(\.pixels)).count == 20)
    for image in found {
      let reds = stride(from: 0, to: image.pixels.count, by: 3).map { image.pixels[$0] }
      #expect(reds == reds.sorted())
    }
  }

  @Test func `Sounds are moved, and get noise`() throws {
    let samples = (0..<1000).map { Float($0 % 50) / 50 }
    let sound = LayerValue.audio(try AudioBuffer(samples: samples, sampleRate: 8000))
    for seed in 0..<20 as Range<UInt64> {
      guard case .audio(let moved) = try changed([.shift], sound, seed: seed) else {
        Issue.record("no sound")
        return
      }
      #expect(moved.samples.count == 1000)
      let isMoved = (-100...100).contains { frames in
        (100..<900).allSatisfy { moved.samples[$0] == samples[$0 - frames] }
      }
      #expect(isMoved)
      guard case .audio(let noisy) = try changed([.noise], sound, seed: seed) else { return }
      let differences = zip(noisy.samples, samples).map { abs($0 - $1) }
      #expect((differences.max() ?? 1) < 0.06 && noisy.samples != samples)
    }
  }

  @Test func `The same seed changes alike, and other values stay`() throws {
    let all = Set(Augmentation.allCases)
    let image = LayerValue.image(try gradient())
    #expect(try changed(all, image, seed: 3) == changed(all, image, seed: 3))
    #expect(try changed(all, image, seed: 3) != changed(all, image, seed: 4))
    #expect(try changed(all, .strings(["text"]), seed: 1) == .strings(["text"]))
    #expect(try changed([], image, seed: 1) == image)
  }
}

extension [UInt8] {
  fileprivate var chunks: [[UInt8]] {
    stride(from: 0, to: count, by: 3).map { Array(self[$0..<$0 + 3]) }
  }
}
