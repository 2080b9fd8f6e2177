public import TensorIOImage

/// A colour to draw with.
public struct Color: Sendable, Hashable {
  /// How red it is.
  public var red: UInt8
  /// How green it is.
  public var green: UInt8
  /// How blue it is.
  public var blue: UInt8
  /// How much it covers: 0 is not at all, 1 entirely.
  public var alpha: Double

  /// A colour, opaque unless said otherwise.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// No light.
  public static let black = Color(red: 0, green: 0, blue: 0)
  /// Full light.
  public static let white = Color(red: 255, green: 255, blue: 255)

  /// The same colour, covering as much as said.
  public func opacity(_ alpha: Double) -> Color {
    Color(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// How bright the colour is, 0 to 1 (ITU-R 601).
  public var luma: Double {
    (0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)) / Double(UInt8.max)
  }

  /// Black or white, whichever can be read better on the colour.
  public var contrastingTextColor: Color { luma > 0.55 ? .black : .white }

  /// The colour on its way to another, 0 to 1.
  public func mixed(with other: Color, fraction share: Double) -> Color {
    let mixed = pixel.mixed(with: other.pixel, fraction: share)
    return Color(mixed).opacity(alpha)
  }

  private var pixel: PixelColor { PixelColor(red: red, green: green, blue: blue) }
}

extension Color {
  /// The colour of a class: always the same for the same index, and unlike those of its neighbours.
  public static func forClass(_ index: Int) -> Color { Color(.forClass(index)) }

  /// An opaque colour of a picture.
  public init(_ color: PixelColor) {
    self.init(red: color.red, green: color.green, blue: color.blue)
  }
}
