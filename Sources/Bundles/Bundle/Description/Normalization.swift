/// The conversion between pixels and numbers: `normalize` or `denormalize`.
///
/// Normalizing computes `pixel · scale + bias`, denormalizing `(value + bias) · scale`, with a
/// scale and a bias for each color.
package struct Normalization: Sendable, Hashable {
  /// The scale of each color.
  package var scale: ColorTriple
  /// The bias of each color.
  package var bias: ColorTriple
  /// The named range in the description, if it uses one.
  package var standardRange: StandardRange?

  /// Creates a normalization with a scale and a bias for each color.
  package init(scale: ColorTriple, bias: ColorTriple) {
    self.scale = scale
    self.bias = bias
  }

  /// Returns the normalization of pixels to a named range.
  package static func normalizing(to range: StandardRange) -> Normalization {
    switch range {
    case .zeroToOne: Normalization(range, scale: 1 / 255, bias: 0)
    case .minusOneToOne: Normalization(range, scale: 2 / 255, bias: -1)
    }
  }

  /// Returns the denormalization of a named range to pixels.
  package static func denormalizing(from range: StandardRange) -> Normalization {
    switch range {
    case .zeroToOne: Normalization(range, scale: 255, bias: 0)
    case .minusOneToOne: Normalization(range, scale: 127.5, bias: 1)
    }
  }

  /// Returns a normalization by mean and standard deviation of pixels scaled to 0 to 1:
  /// `(pixel / 255 − mean) / deviation`.
  package static func normalizing(mean: ColorTriple, standardDeviation: ColorTriple)
    -> Normalization
  {
    Normalization(
      scale: standardDeviation.map { 1 / (255 * $0) },
      bias: ColorTriple(
        red: -mean.red / standardDeviation.red, green: -mean.green / standardDeviation.green,
        blue: -mean.blue / standardDeviation.blue))
  }

  /// Returns a denormalization by mean and standard deviation of pixels scaled to 0 to 1:
  /// `(value · deviation + mean) · 255`.
  package static func denormalizing(mean: ColorTriple, standardDeviation: ColorTriple)
    -> Normalization
  {
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

/// A number for each color.
///
/// Gray images use the red value.
package struct ColorTriple: Sendable, Hashable {
  /// The red value.
  package var red: Float
  /// The green value.
  package var green: Float
  /// The blue value.
  package var blue: Float

  /// Creates a triple.
  package init(red: Float, green: Float, blue: Float) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Creates a triple with the same number for all colors.
  package init(repeating value: Float) {
    self.init(red: value, green: value, blue: value)
  }

  /// Returns a triple of transformed numbers.
  func map(_ transform: (Float) -> Float) -> ColorTriple {
    ColorTriple(red: transform(red), green: transform(green), blue: transform(blue))
  }

  /// Whether all three numbers are finite.
  var isFinite: Bool { red.isFinite && green.isFinite && blue.isFinite }
}
