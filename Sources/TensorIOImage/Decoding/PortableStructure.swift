/// The header of a portable pixmap or graymap, `P6` or `P5`: numbers as text, with comments.
struct PortableStructure {
  let width: Int
  let height: Int
  let isGray: Bool
  /// The number that means white.
  let maximum: Int
  /// Where the pixels begin.
  let pixels: Int

  private static let spaces = Set(" \t\n\u{0B}\u{0C}\r".utf8)

  /// Whether bytes begin as such a picture does.
  static func begins(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 2, bytes[0] == UInt8(ascii: "P") else { return false }
    let isFollowed = spaces.contains(bytes[2]) || bytes[2] == UInt8(ascii: "#")
    return [UInt8(ascii: "5"), UInt8(ascii: "6")].contains(bytes[1]) && isFollowed
  }

  init(_ bytes: [UInt8]) throws(ImageError) {
    isGray = bytes[1] == UInt8(ascii: "5")
    var rest = bytes[2...]
    width = try Self.number(&rest)
    height = try Self.number(&rest)
    maximum = try Self.number(&rest)
    guard (1...0xFFFF).contains(maximum) else {
      throw ImageError(.damaged(problem: "white cannot be \(maximum)"))
    }
    // One space, and no more, is before the pixels.
    pixels = rest.startIndex + 1
  }

  /// How many bytes a channel of a pixel has.
  var bytesPerChannel: Int { maximum > 0xFF ? 2 : 1 }

  /// The next number, with the space behind it left where it is.
  private static func number(_ rest: inout ArraySlice<UInt8>) throws(ImageError) -> Int {
    skipSpace(&rest)
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest[digits.endIndex...]
    guard let next = rest.first else { throw ImageError(.truncated) }
    guard !digits.isEmpty, digits.count < 10, spaces.contains(next) || next == UInt8(ascii: "#")
    else { throw ImageError(.damaged(problem: "its header is not made of numbers")) }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Skips spaces, and comments to the ends of their lines.
  private static func skipSpace(_ rest: inout ArraySlice<UInt8>) {
    while let byte = rest.first {
      if byte == UInt8(ascii: "#") {
        rest = rest.drop { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      } else if spaces.contains(byte) {
        rest = rest.dropFirst()
      } else {
        return
      }
    }
  }
}
