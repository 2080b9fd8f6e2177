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
