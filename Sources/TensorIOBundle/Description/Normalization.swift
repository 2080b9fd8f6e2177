/// How pixels and numbers become one another: `normalize` or `denormalize`.
///
/// Normalizing computes `pixel · scale + bias`, denormalizing `(value + bias) · scale`, with the
/// scale and bias of the colour that the pixel's channel holds.
public struct Normalization: Sendable, Hashable {
  /// The factor of every colour.
  public var scale: ColorTriple
  /// The offset of every colour.
  public var bias: ColorTriple
  /// The range whose name the description used, where it used one.
  public var standardRange: StandardRange?

  /// A scale and a bias for every colour.
  public init(scale: ColorTriple, bias: ColorTriple) {
    self.scale = scale
    self.bias = bias
  }

  /// Normalizing to a named range.
  public static func normalizing(to range: StandardRange) -> Normalization {
    switch range {
    case .zeroToOne: Normalization(range, scale: 1 / 255, bias: 0)
    case .minusOneToOne: Normalization(range, scale: 2 / 255, bias: -1)
    }
  }

  /// Denormalizing from a named range.
  public static func denormalizing(from range: StandardRange) -> Normalization {
    switch range {
    case .zeroToOne: Normalization(range, scale: 255, bias: 0)
    case .minusOneToOne: Normalization(range, scale: 127.5, bias: 1)
    }
  }

  /// Normalizing by a mean and a deviation, both of pixels scaled to 0 to 1:
  /// `(pixel / 255 − mean) / deviation`.
  public static func normalizing(mean: ColorTriple, standardDeviation: ColorTriple) -> Normalization {
    Normalization(
      scale: standardDeviation.map { 1 / (255 * $0) },
      bias: ColorTriple(
        red: -mean.red / standardDeviation.red, green: -mean.green / standardDeviation.green,
        blue: -mean.blue / standardDeviation.blue))
  }

  /// Denormalizing by a mean and a deviation, both of pixels scaled to 0 to 1:
  /// `(value · deviation + mean) · 255`.
  public static func denormalizing(mean: ColorTriple, standardDeviation: ColorTriple) -> Normalization {
    Normalization(
      scale: standardDeviation.map { 255 * $0 },
      bias: ColorTriple(
        red: mean.red / standardDeviation.red, green: mean.green / standardDeviation.green,
        blue: mean.blue / standardDeviation.blue))
  }

  private init(_ range: StandardRange, scale: Float, bias: Float) {
    self.init(scale: ColorTriple(repeating: scale), bias: ColorTriple(repeating: bias))
    standardRange = range
  }
}

/// A number for each colour.
///
/// A gray layer uses red's.
public struct ColorTriple: Sendable, Hashable {
  /// Red's number.
  public var red: Float
  /// Green's number.
  public var green: Float
  /// Blue's number.
  public var blue: Float

  /// A number for each colour.
  public init(red: Float, green: Float, blue: Float) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The same number for all.
  public init(repeating value: Float) {
    self.init(red: value, green: value, blue: value)
  }

  /// Another number for each colour.
  func map(_ transform: (Float) -> Float) -> ColorTriple {
    ColorTriple(red: transform(red), green: transform(green), blue: transform(blue))
  }

  /// Whether all three are numbers and finite.
  var isFinite: Bool { red.isFinite && green.isFinite && blue.isFinite }
}
