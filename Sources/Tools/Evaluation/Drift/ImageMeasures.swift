import TensorIOImage

/// The brightness and the contrast of an image, from at most 64 × 64 pixels, and its aspect ratio.
struct ImageMeasures: Sendable, Hashable {
  /// The maximum number of pixels along an axis that are measured.
  private static let maxSamples = 64

  /// The mean luminance, from 0 to 255.
  let brightness: Double
  /// The standard deviation of the luminance.
  let contrast: Double
  /// The width of the upright image, divided by its height.
  let aspectRatio: Double

  /// Measures an image.
  init(_ image: ImageBuffer) {
    let columns = Self.positions(image.width)
    var (sum, squares, count) = (0.0, 0.0, 0.0)
    for y in Self.positions(image.height) {
      for x in columns {
        let color = image[x, y]
        // The weights of ITU-R BT.601.
        let luminance =
          0.299 * Double(color.red) + 0.587 * Double(color.green) + 0.114 * Double(color.blue)
        sum += luminance
        squares += luminance * luminance
        count += 1
      }
    }
    let mean = sum / max(1, count)
    brightness = mean
    contrast = max(0, squares / max(1, count) - mean * mean).squareRoot()
    aspectRatio = Double(image.uprightWidth) / Double(max(1, image.uprightHeight))
  }

  /// Returns the middles of equal parts of an axis.
  private static func positions(_ length: Int) -> [Int] {
    let count = min(length, maxSamples)
    return (0..<count).map { (2 * $0 + 1) * length / (2 * count) }
  }
}
