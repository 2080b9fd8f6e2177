/// The header of a portable pixmap (`P6`) or graymap (`P5`): numbers as text, with comments.
struct PNMStructure {
  let width: Int
  let height: Int
  let isGray: Bool
  /// The sample value that means white.
  let maxValue: Int
  /// The offset of the first pixel, in bytes.
  let pixelOffset: Int

  private static let whitespace = Set(" \t\n\u{0B}\u{0C}\r".utf8)

  /// Returns whether bytes begin with a PNM signature.
  static func matches(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 2, bytes[0] == UInt8(ascii: "P") else { return false }
    let isFollowed = whitespace.contains(bytes[2]) || bytes[2] == UInt8(ascii: "#")
    return [UInt8(ascii: "5"), UInt8(ascii: "6")].contains(bytes[1]) && isFollowed
  }

  init(_ bytes: [UInt8]) throws(ImageError) {
    isGray = bytes[1] == UInt8(ascii: "5")
    var rest = bytes[2...]
    width = try Self.number(&rest)
    height = try Self.number(&rest)
    maxValue = try Self.number(&rest)
    guard (1...0xFFFF).contains(maxValue) else {
      throw ImageError(
        .corrupt(message: "the maximum value is \(maxValue), not between 1 and 65535"))
    }
    // Exactly one whitespace character separates the header from the pixels; it may be the end of a
    // comment.
    if rest.first == UInt8(ascii: "#") { Self.skipComment(&rest) }
    guard !rest.isEmpty else { throw ImageError(.truncated) }
    pixelOffset = rest.startIndex + 1
  }

  /// The number of bytes per channel.
  var bytesPerChannel: Int { maxValue > 0xFF ? 2 : 1 }

  /// Parses the next number and leaves the separator after it.
  private static func number(_ rest: inout ArraySlice<UInt8>) throws(ImageError) -> Int {
    skipSpace(&rest)
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest[digits.endIndex...]
    guard let next = rest.first else { throw ImageError(.truncated) }
    guard !digits.isEmpty, digits.count < 10, whitespace.contains(next) || next == UInt8(ascii: "#")
    else { throw ImageError(.corrupt(message: "the header does not consist of numbers")) }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Skips a comment up to the end of its line.
  private static func skipComment(_ rest: inout ArraySlice<UInt8>) {
    rest = rest.drop { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
  }

  /// Skips whitespace and comments, which end with their line.
  private static func skipSpace(_ rest: inout ArraySlice<UInt8>) {
    while let byte = rest.first {
      if byte == UInt8(ascii: "#") {
        skipComment(&rest)
      } else if whitespace.contains(byte) {
        rest = rest.dropFirst()
      } else {
        return
      }
    }
  }
}

/// Decodes a portable pixmap or graymap with any maximum value.
enum PNMDecoder {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    let portable = try PNMStructure(bytes)
    try ImageLimits.validate(width: portable.width, height: portable.height)
    let format = portable.isGray ? PixelFormat.gray : .rgb
    // Both sides are within their limit, so nothing here can overflow.
    let count = portable.width * portable.height * format.bytesPerPixel
    let end = portable.pixelOffset + count * portable.bytesPerChannel
    guard end <= bytes.count else { throw ImageError(.truncated) }
    return try ImageBuffer(
      width: portable.width, height: portable.height, format: format,
      pixels: channels(bytes[portable.pixelOffset..<end], of: portable))
  }

  private static func channels(
    _ stored: ArraySlice<UInt8>, of portable: PNMStructure
  ) -> [UInt8] {
    if portable.maxValue == 0xFF { return Array(stored) }
    let scale = scaleTable(to: portable.maxValue)
    guard portable.bytesPerChannel == 2 else { return stored.map { scale[Int($0)] } }
    return stride(from: stored.startIndex, to: stored.endIndex, by: 2).map {
      scale[Int(stored[$0]) << 8 | Int(stored[$0 + 1])]
    }
  }

  /// Returns the 8-bit value of every sample value; values above the maximum become white.
  private static func scaleTable(to maximum: Int) -> [UInt8] {
    (0...(maximum > 0xFF ? 0xFFFF : 0xFF)).map { number in
      let share = Double(min(number, maximum)) / Double(maximum)
      return UInt8((share * 255).rounded(.toNearestOrEven))
    }
  }
}
