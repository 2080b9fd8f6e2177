internal import TensorIOImage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A small copy of a picture, as text.
struct Thumbnail: Sendable, Hashable {
  /// The longer side has no more pixels.
  static let side = 160
  private static let quality = 85

  /// The copy as a `data:` address.
  let address: String
  /// The width of the picture itself, upright.
  let width: Int
  /// The height of the picture itself, upright.
  let height: Int

  /// Whether the picture is so small that its pixels are to be seen.
  var isTiny: Bool { max(width, height) <= Self.side / 2 }

  /// A copy of a picture's file.
  init(of path: String) throws(ImageError) {
    let header = try ImageHeader(contentsOf: path)
    let isLying = header.orientation.swapsSides
    let (width, height) =
      isLying ? (header.height, header.width) : (header.width, header.height)
    let scale = min(1, Double(Self.side) / Double(max(1, width, height)))
    let preparation = ImagePreparation(
      width: Self.scaled(width, scale), height: Self.scaled(height, scale), fit: .stretch)
    let picture = try ImageBuffer(contentsOf: path, decoding: DecodingOptions(for: preparation))
    let small = try preparation(picture).image
    address = try Self.address(of: small)
    (self.width, self.height) = (width, height)
  }

  private static func scaled(_ side: Int, _ scale: Double) -> Int {
    max(1, Int((Double(side) * scale).rounded()))
  }

  /// Drawings are smaller without loss, photographs with some.
  private static func address(of picture: ImageBuffer) throws(ImageError) -> String {
    let png = try picture.encoded(as: .png)
    let jpeg = try picture.encoded(as: .jpeg(quality: quality))
    let (type, bytes) = png.count <= jpeg.count ? ("png", png) : ("jpeg", jpeg)
    return "data:image/\(type);base64,\(Data(bytes).base64EncodedString())"
  }
}
