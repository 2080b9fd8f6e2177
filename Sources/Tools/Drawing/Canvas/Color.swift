public import TensorIOImage

/// A color for drawing.
public struct Color: Sendable, Hashable {
  /// The red component.
  public var red: UInt8
  /// The green component.
  public var green: UInt8
  /// The blue component.
  public var blue: UInt8
  /// The opacity, from 0 (transparent) to 1 (opaque).
  public var alpha: Double

  /// Creates a color, opaque by default.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Black.
  public static let black = Color(red: 0, green: 0, blue: 0)
  /// White.
  public static let white = Color(red: 255, green: 255, blue: 255)

  /// Returns the color with another opacity.
  public func opacity(_ alpha: Double) -> Color {
    Color(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// The luma of the color, from 0 to 1 (ITU-R BT.601).
  public var luma: Double {
    (0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)) / Double(UInt8.max)
  }

  /// Black or white, whichever is more legible on this color.
  public var contrastingTextColor: Color { luma > 0.55 ? .black : .white }

  /// Returns the color mixed with another; a fraction of 0 is this color, 1 the other.
  public func mixed(with other: Color, fraction: Double) -> Color {
    let mixed = pixel.mixed(with: other.pixel, fraction: fraction)
    return Color(mixed).opacity(alpha)
  }

  private var pixel: PixelColor { PixelColor(red: red, green: green, blue: blue) }
}

extension Color {
  /// Returns a color for a class: always the same for an index, and different from its neighbors'.
  public static func forClass(_ index: Int) -> Color { Color(.forClass(index)) }

  /// Creates an opaque color from a pixel color.
  public init(_ color: PixelColor) {
    self.init(red: color.red, green: color.green, blue: color.blue)
  }
}
