import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOSystem

/// A random change of an input that keeps its class, so that a model learns more of few examples.
public enum Augmentation: String, Sendable, Hashable, CaseIterable {
  /// Mirrors half of the images; not for characters.
  case flip
  /// Crops images to 80 to 100 % of each side.
  case crop
  /// Changes the brightness and the contrast of images by up to 20 %.
  case color
  /// Moves sounds by up to 10 % of their length.
  case shift
  /// Adds noise of up to 5 % of its loudness to a sound.
  case noise

  /// All but ``flip``, which changes what characters and other images mean.
  public static let standard: Set<Augmentation> = [.crop, .color, .shift, .noise]
}

extension Set<Augmentation> {
  /// Returns a changed value; other values than images and sounds are unchanged.
  ///
  /// - Parameters:
  ///   - value: The value of an input, an image or sound possibly as the bytes of a file.
  ///   - layer: The input.
  ///   - random: The source of randomness, whose next numbers determine the change.
  /// - Returns: The value.
  /// - Throws: `ModelError` if a file cannot be decoded.
  func applied(
    to value: LayerValue, of layer: Layer, _ random: inout SplitMix64
  ) throws(ModelError) -> LayerValue {
    switch value {
    case .image(let image) where !isDisjoint(with: [.flip, .crop, .color]):
      return .image(
        try ModelError.rethrowingImage { () throws(ImageError) in
          try changed(image, &random)
        })
    case .bytes(let bytes) where layer.isImage && !isDisjoint(with: [.flip, .crop, .color]):
      return .image(
        try ModelError.rethrowingImage { () throws(ImageError) in
          try changed(ImageBuffer(decoding: bytes), &random)
        })
    case .audio(let sound) where !isDisjoint(with: [.shift, .noise]):
      return .audio(
        try ModelError.rethrowingAudio { () throws(AudioError) in
          try changed(sound, &random)
        })
    case .bytes(let bytes) where layer.isAudio && !isDisjoint(with: [.shift, .noise]):
      return .audio(
        try ModelError.rethrowingAudio { () throws(AudioError) in
          try changed(AudioBuffer(decoding: bytes), &random)
        })
    default: return value
    }
  }

  private func changed(
    _ original: ImageBuffer, _ random: inout SplitMix64
  ) throws(ImageError) -> ImageBuffer {
    var image = original.upright()
    if contains(.crop) {
      let sides = [image.width, image.height].map { side in
        Swift.max(1, Int((Double(side) * (0.8 + 0.2 * random.nextUnit())).rounded()))
      }
      image = try image.cropped(
        to: PixelRegion(
          x: random.next(below: image.width - sides[0] + 1),
          y: random.next(below: image.height - sides[1] + 1), width: sides[0], height: sides[1]))
    }
    if contains(.color) {
      let (brightness, contrast) = (51 * random.nextUnit() - 25.5, 0.8 + 0.4 * random.nextUnit())
      let opaque = image.converted(to: image.format == .gray ? .gray : .rgb)
      let table = (0..<256).map { value -> UInt8 in
        let changed = (Double(value) - 128) * contrast + 128 + brightness
        return UInt8(Swift.min(255, Swift.max(0, changed.rounded())))
      }
      image = try ImageBuffer(
        width: opaque.width, height: opaque.height, format: opaque.format,
        pixels: opaque.pixels.map { table[Int($0)] })
    }
    if contains(.flip), random.next(below: 2) == 1 { image.orientation = .upMirrored }
    return image
  }

  private func changed(
    _ original: AudioBuffer, _ random: inout SplitMix64
  ) throws(AudioError) -> AudioBuffer {
    var samples = original.samples
    if contains(.shift), original.frameCount > 0 {
      let most = original.frameCount / 10
      let frames = random.next(below: 2 * most + 1) - most
      let count = abs(frames) * original.channelCount
      let silence = [Float](repeating: 0, count: count)
      samples =
        frames >= 0 ? silence + samples.dropLast(count) : Array(samples.dropFirst(count)) + silence
    }
    if contains(.noise), !samples.isEmpty {
      let energy = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
      let loudness = 0.05 * energy.squareRoot() * random.nextUnit()
      // Uniform numbers from -√3 to √3 have a standard deviation of 1.
      let width = 2 * 3.0.squareRoot()
      for index in samples.indices {
        samples[index] += Float(loudness * width * (random.nextUnit() - 0.5))
      }
    }
    return try AudioBuffer(
      samples: samples, sampleRate: original.sampleRate, channelCount: original.channelCount)
  }
}

extension ModelError {
  fileprivate static func rethrowingImage(
    _ body: () throws(ImageError) -> ImageBuffer
  ) throws(ModelError) -> ImageBuffer {
    do throws(ImageError) { return try body() } catch { throw ModelError(.input, .image(error)) }
  }

  fileprivate static func rethrowingAudio(
    _ body: () throws(AudioError) -> AudioBuffer
  ) throws(ModelError) -> AudioBuffer {
    do throws(AudioError) { return try body() } catch { throw ModelError(.input, .audio(error)) }
  }
}
