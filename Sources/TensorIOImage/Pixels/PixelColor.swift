/// A colour, 8 bits a channel.
public struct PixelColor: Sendable, Hashable {
  /// How red it is.
  public var red: UInt8
  /// How green it is.
  public var green: UInt8
  /// How blue it is.
  public var blue: UInt8

  /// A colour of three channels.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// No light.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
  /// Full light.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)

  /// How bright the colour is (ITU-R 601), as Pillow rounds it.
  public var luma: UInt8 {
    let weighted: Int = Int(red) * 19_595 + Int(green) * 38_470 + Int(blue) * 7_471
    return UInt8((weighted + 0x8000) >> 16)
  }

  /// The bytes of an opaque pixel of the colour.
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
  /// The colour of a class: always the same for the same index, and unlike those of its neighbours.
  ///
  /// Twelve clear colours, then twelve lighter and twelve darker ones, then the first again.
  public static func forClass(_ index: Int) -> PixelColor {
    let color = palette[modulo(index, palette.count)]
    switch modulo(index.flooredQuotient(by: palette.count), 3) {
    case 0: return color
    case 1: return color.mixed(with: .white, fraction: 0.45)
    default: return color.mixed(with: .black, fraction: 0.3)
    }
  }

  /// Bright enough to be seen on black, dark enough for white; neighbours differ in hue.
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
  /// The colour on its way to another, 0 to 1.
  public func mixed(with other: PixelColor, fraction share: Double) -> PixelColor {
    PixelColor(
      red: Self.mix(red, other.red, share), green: Self.mix(green, other.green, share),
      blue: Self.mix(blue, other.blue, share))
  }

  private static func mix(_ one: UInt8, _ other: UInt8, _ share: Double) -> UInt8 {
    let share = share.isFinite ? min(max(share, 0), 1) : 0
    return UInt8((Double(one) + (Double(other) - Double(one)) * share).rounded())
  }

  /// The colour as six digits, `#rrggbb`.
  public var hexadecimal: String {
    "#"
      + [red, green, blue].map { byte in
        let digits = String(byte, radix: 16)
        return digits.count < 2 ? "0" + digits : digits
      }.joined()
  }
}

extension Int {
  /// The quotient rounded down, so that counting goes on the same below zero.
  fileprivate func flooredQuotient(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
