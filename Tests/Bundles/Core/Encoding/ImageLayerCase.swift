import TensorIOImage
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// A storage format for images, with the expected value of each number.
struct ImageLayerCase: CustomTestStringConvertible {
  let format: PixelFormat
  let type: ElementType
  let normalization: Normalization?
  var quantization: TensorQuantization?
  var layout = ImageLayout.channelsLast

  var testDescription: String {
    let scale = normalization.map { "normalized by \($0.scale.red)" } ?? "not normalized"
    return "\(format) as \(type), \(scale)"
  }

  static let formats: [PixelFormat] = [.rgb, .bgr, .gray]
  static let types: [ElementType] = [.float32, .float16, .uint8, .int8]
  static let unequal = Normalization(
    scale: ColorTriple(repeating: 0.5), bias: ColorTriple(red: 10, green: -20, blue: 90))
  static let normalizations: [Normalization?] = [
    nil, .normalizing(to: .zeroToOne), .normalizing(to: .minusOneToOne), unequal,
  ]

  static let all = formats.flatMap { format in
    types.flatMap { type in
      normalizations.map { ImageLayerCase(format: format, type: type, normalization: $0) }
    }
  }

  /// An image of 256 pixels in which every channel has every value.
  func image() throws -> ImageBuffer {
    let pixels = (0...255).flatMap { value -> [UInt8] in
      let red = UInt8(value)
      let (green, blue) = (255 - red, red &* 7)
      return switch format {
      case .gray: [red]
      case .bgr: [blue, green, red]
      default: [red, green, blue]
      }
    }
    return try ImageBuffer(width: 16, height: 16, format: format, pixels: pixels)
  }

  /// The colors of the channels, in the order of the format.
  private var colors: [KeyPath<ColorTriple, Float>] {
    switch format {
    case .gray: [\.red]
    case .bgr: [\.blue, \.green, \.red]
    default: [\.red, \.green, \.blue]
    }
  }

  /// The normalized pixels, before they are stored.
  func numbers() throws -> [Float] {
    let scale = normalization?.scale ?? ColorTriple(repeating: 1)
    let bias = normalization?.bias ?? ColorTriple(repeating: 0)
    return try image().pixels.enumerated().map { index, pixel in
      let color = colors[index % colors.count]
      return Float(pixel) * scale[keyPath: color] + bias[keyPath: color]
    }
  }

  /// The same numbers in planar layout.
  static func planes<Number>(of numbers: [Number], channels: Int) -> [Number] {
    (0..<channels).flatMap { channel in
      stride(from: channel, to: numbers.count, by: channels).map { numbers[$0] }
    }
  }

  var roundTrip: LayerRoundTrip {
    .image(
      16, 16, format, over: type, layout: layout, normalize: normalization, denormalize: inverse,
      quantization: quantization)
  }

  /// The inverse normalization, with the bias negated and the scale inverted.
  private var inverse: Normalization? {
    normalization.map { code in
      Normalization(
        scale: ColorTriple(repeating: 1 / code.scale.red),
        bias: ColorTriple(
          red: -code.bias.red, green: -code.bias.green, blue: -code.bias.blue))
    }
  }
}
