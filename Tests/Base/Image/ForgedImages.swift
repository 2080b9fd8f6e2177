import TensorIOTestSupport
import Testing

/// Fixtures with modified headers.
extension Fixtures {
  /// Returns a small PNG whose header declares another size.
  static func png(width: Int, height: Int) throws -> [UInt8] {
    var bytes = try formatBytes("rgb.png")
    bytes.replaceSubrange(16..<24, with: bigEndian(width) + bigEndian(height))
    return bytes
  }

  /// Returns a small JPEG whose header declares another size, which decoders fill with gray.
  static func jpeg(_ name: String, width: Int, height: Int) throws -> [UInt8] {
    var bytes = try formatBytes(name)
    let frame = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1]) })
    bytes.replaceSubrange(
      frame + 5..<frame + 9, with: bigEndian(height).suffix(2) + bigEndian(width).suffix(2))
    return bytes
  }

  /// Returns a JPEG with additional scans, each of which covers the whole image.
  static func adding(scans: Int, to jpeg: [UInt8]) -> [UInt8] {
    let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 63, 0, 0x55]
    let all = [[UInt8]](repeating: scan, count: scans).flatMap { $0 }
    return Array(jpeg.dropLast(2)) + all + [0xFF, 0xD9]
  }

  /// Returns a valid PNG of black pixels, about a thousandth of its decoded size.
  static func blackPNG(side: Int) -> [UInt8] {
    let zeros = DeflateStream.zeros(runs: side * ((side + 7) / 8 + 1) / 258 + 1)
    let sum = UInt32(zeros.count % 65_521) << 16 | 1
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", bigEndian(side) + bigEndian(side) + [1, 0, 0, 0, 0])
      + chunk("IDAT", [0x78, 0x01] + zeros.packed + bigEndian(Int(sum))) + chunk("IEND", [])
  }

  private static func chunk(_ kind: String, _ bytes: [UInt8]) -> [UInt8] {
    let named = Array(kind.utf8) + bytes
    return bigEndian(bytes.count) + named + bigEndian(Int(named.crc32))
  }

  static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
