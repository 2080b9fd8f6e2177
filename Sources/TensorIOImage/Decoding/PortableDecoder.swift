/// Reads the pixels of a portable pixmap or graymap, whatever number means white.
enum PortableDecoder {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    let portable = try PortableStructure(bytes)
    try ImageLimits.check(width: portable.width, height: portable.height)
    let format = portable.isGray ? PixelFormat.gray : .rgb
    // Both sides are within their limit, so that nothing here can overflow.
    let count = portable.width * portable.height * format.bytesPerPixel
    let end = portable.pixels + count * portable.bytesPerChannel
    guard end <= bytes.count else { throw ImageError(.truncated) }
    return try ImageBuffer(
      width: portable.width, height: portable.height, format: format,
      pixels: channels(bytes[portable.pixels..<end], of: portable))
  }

  private static func channels(
    _ stored: ArraySlice<UInt8>, of portable: PortableStructure
  ) -> [UInt8] {
    if portable.maximum == 0xFF { return Array(stored) }
    let scale = scale(to: portable.maximum)
    guard portable.bytesPerChannel == 2 else { return stored.map { scale[Int($0)] } }
    return stride(from: stored.startIndex, to: stored.endIndex, by: 2).map {
      scale[Int(stored[$0]) << 8 | Int(stored[$0 + 1])]
    }
  }

  /// What every number that can be stored is in eight bits; what is beyond white is white.
  private static func scale(to maximum: Int) -> [UInt8] {
    (0...(maximum > 0xFF ? 0xFFFF : 0xFF)).map { number in
      let share = Double(min(number, maximum)) / Double(maximum)
      return UInt8((share * 255).rounded(.toNearestOrEven))
    }
  }
}
