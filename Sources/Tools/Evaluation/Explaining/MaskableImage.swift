import TensorIOBundle
import TensorIOImage

/// An upright image whose parts are covered.
struct MaskableImage: Sendable {
  /// The image.
  let image: ImageBuffer
  private let pixels: [UInt8]
  /// The mean color, with which windows are covered.
  private let mean: [UInt8]
  private let layer: String

  /// The width.
  var width: Int { image.width }
  /// The height.
  var height: Int { image.height }

  /// Creates an upright image whose shorter side is no longer than a size.
  init(_ image: ImageBuffer, minSide: Int, layer: String) throws(ModelError) {
    self.layer = layer
    do throws(ImageError) {
      var upright = image.upright().converted(to: .rgb)
      let scale = Double(minSide) / Double(min(upright.width, upright.height))
      if scale < 1 {
        let preparation = ImagePreparation(
          width: max(1, Int((Double(upright.width) * scale).rounded())),
          height: max(1, Int((Double(upright.height) * scale).rounded())), fit: .stretch)
        upright = try preparation(upright).image
      }
      pixels = upright.pixels
      self.image = try ImageBuffer(
        width: upright.width, height: upright.height, format: .rgb, pixels: pixels)
    } catch {
      throw ModelError(.input, .image(error), layer: layer)
    }
    var sums = [0, 0, 0]
    for (index, byte) in pixels.enumerated() { sums[index % 3] += Int(byte) }
    let count = max(1, pixels.count / 3)
    mean = sums.map { UInt8(($0 + count / 2) / count) }
  }

  /// Returns the image with a window in its mean color.
  func covering(_ window: OcclusionMap.Window) throws(ModelError) -> ImageBuffer {
    var changed = pixels
    for y in window.y..<window.y + window.height {
      for x in window.x..<window.x + window.width {
        let offset = 3 * (y * width + x)
        for channel in 0..<3 { changed[offset + channel] = mean[channel] }
      }
    }
    return try buffer(changed)
  }

  /// Returns the image multiplied by a mask.
  func masked(by mask: [Double]) throws(ModelError) -> ImageBuffer {
    var changed = pixels
    for (pixel, visibility) in mask.enumerated() {
      for offset in 3 * pixel..<3 * pixel + 3 {
        changed[offset] = UInt8((Double(changed[offset]) * visibility).rounded())
      }
    }
    return try buffer(changed)
  }

  private func buffer(_ pixels: [UInt8]) throws(ModelError) -> ImageBuffer {
    do throws(ImageError) {
      return try ImageBuffer(width: width, height: height, format: .rgb, pixels: pixels)
    } catch {
      throw ModelError(.input, .image(error), layer: layer)
    }
  }
}
