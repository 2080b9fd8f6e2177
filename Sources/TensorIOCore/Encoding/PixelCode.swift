internal import TensorIOImage

/// How the pixels of one channel become the elements of a tensor.
struct PixelCode: Sendable, Hashable {
  let scale: Float
  let bias: Float

  /// The number for a pixel.
  @inline(__always)
  func callAsFunction(_ pixel: UInt8) -> Float { Float(pixel) * scale + bias }

  /// The codes of a layer's channels, in the order of its format.
  static func channels(of normalization: Normalization?, in format: PixelFormat) -> [PixelCode] {
    let colors = Self.colors(of: normalization)
    return switch format {
    case .bgr, .bgra: [colors.blue, colors.green, colors.red]
    case .gray: [colors.red]
    case .rgb, .rgba, .argb: [colors.red, colors.green, colors.blue]
    }
  }

  private static func colors(
    of normalization: Normalization?
  ) -> (red: PixelCode, green: PixelCode, blue: PixelCode) {
    let scale = normalization?.scale ?? ColorTriple(all: 1)
    let bias = normalization?.bias ?? ColorTriple(all: 0)
    return (
      PixelCode(scale: scale.red, bias: bias.red), PixelCode(scale: scale.green, bias: bias.green),
      PixelCode(scale: scale.blue, bias: bias.blue)
    )
  }
}

extension [PixelCode] {
  /// The elements for all 256 pixel values of every channel, one channel after the other.
  func table<Stored>(_ stored: (Float) -> Stored) -> [Stored] {
    flatMap { code in (0...255).map { stored(code(UInt8($0))) } }
  }
}
