/// A color with 8 bits per channel.
public struct PixelColor: Sendable, Hashable {
  /// The red component.
  public var red: UInt8
  /// The green component.
  public var green: UInt8
  /// The blue component.
  public var blue: UInt8

  /// Creates a color from its components.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Black.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
  /// White.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)

  /// The luma of the color (ITU-R BT.601), rounded as Pillow does.
  public var luma: UInt8 {
    let weighted: Int = Int(red) * 19_595 + Int(green) * 38_470 + Int(blue) * 7_471
    return UInt8((weighted + 0x8000) >> 16)
  }

  /// Returns the bytes of an opaque pixel of this color.
  func bytes(as format: PixelFormat) -> [UInt8] {
    guard format.hasColor else { return [luma] }
    var bytes = [UInt8](repeating: .max, count: format.bytesPerPixel)
    bytes[format.redOffset] = red
    bytes[format.greenOffset] = green
    bytes[format.blueOffset] = blue
    return bytes
  }
}

extension PixelColor {
  /// Returns a color for a class: always the same for an index, and different from its neighbors'.
  ///
  /// The cycle has twelve base colors, then twelve lighter and twelve darker ones.
  public static func forClass(_ index: Int) -> PixelColor {
    let color = palette[modulo(index, palette.count)]
    switch modulo(index.flooredQuotient(by: palette.count), 3) {
    case 0: return color
    case 1: return color.mixed(with: .white, fraction: 0.45)
    default: return color.mixed(with: .black, fraction: 0.3)
    }
  }

  /// Colors that are visible on black and on white.
  ///
  /// Neighbors differ in hue.
  private static let palette = [
    PixelColor(red: 38, green: 166, blue: 254),  // sky
    PixelColor(red: 255, green: 149, blue: 0),  // orange
    PixelColor(red: 48, green: 196, blue: 110),  // green
    PixelColor(red: 244, green: 76, blue: 96),  // red
    PixelColor(red: 158, green: 116, blue: 255),  // violet
    PixelColor(red: 240, green: 200, blue: 24),  // yellow
    PixelColor(red: 20, green: 196, blue: 196),  // turquoise
    PixelColor(red: 240, green: 98, blue: 190),  // pink
    PixelColor(red: 150, green: 200, blue: 40),  // lime
    PixelColor(red: 92, green: 120, blue: 250),  // blue
    PixelColor(red: 214, green: 138, blue: 92),  // copper
    PixelColor(red: 160, green: 172, blue: 184),  // slate
  ]

  private static func modulo(_ value: Int, _ count: Int) -> Int {
    let rest = value % count
    return rest < 0 ? rest + count : rest
  }
}

extension PixelColor {
  /// Returns the color mixed with another; a fraction of 0 is this color, 1 the other.
  public func mixed(with other: PixelColor, fraction: Double) -> PixelColor {
    PixelColor(
      red: Self.mix(red, other.red, fraction), green: Self.mix(green, other.green, fraction),
      blue: Self.mix(blue, other.blue, fraction))
  }

  private static func mix(_ one: UInt8, _ other: UInt8, _ fraction: Double) -> UInt8 {
    let fraction = fraction.isFinite ? min(max(fraction, 0), 1) : 0
    return UInt8((Double(one) + (Double(other) - Double(one)) * fraction).rounded())
  }

  /// The color in hexadecimal notation, `#rrggbb`.
  public var hexadecimal: String {
    let digits = String(Int(red) << 16 | Int(green) << 8 | Int(blue), radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
  }
}

extension Int {
  /// Returns the quotient rounded down, which makes the cycle continuous below zero.
  fileprivate func flooredQuotient(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
