import TensorIOBundle
public import TensorIOImage

/// The pixels of one detected object.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "yolo-seg.tiobundle")
/// for object in try model.run(ImageBuffer(contentsOf: "street.jpg")).instanceMasks {
///   print(object.detection.label, object.pixelCount)
/// }
/// ```
public struct InstanceMask: Sendable, Hashable {
  /// The detection of the object.
  public let detection: Detection
  /// The column of the image in which the mask begins.
  public let left: Int
  /// The row of the image in which the mask begins.
  public let top: Int
  /// The number of pixels of a row.
  public let width: Int
  /// Whether each pixel of the region belongs to the object, row by row.
  public let pixels: [Bool]

  /// Creates a mask for a region of an image.
  ///
  /// - Parameters:
  ///   - detection: The detection of the object.
  ///   - left: The column of the image in which the mask begins.
  ///   - top: The row of the image in which the mask begins.
  ///   - width: The number of pixels of a row.
  ///   - pixels: Whether each pixel belongs to the object, row by row. An incomplete last row is
  ///     dropped.
  public init(detection: Detection, left: Int, top: Int, width: Int, pixels: [Bool]) {
    self.detection = detection
    (self.left, self.top, self.width) = (left, top, max(0, width))
    let height = width > 0 ? pixels.count / width : 0
    let count = height * self.width
    self.pixels = count == pixels.count ? pixels : Array(pixels.prefix(count))
  }

  /// The number of rows.
  public var height: Int { width > 0 ? pixels.count / width : 0 }

  /// The number of pixels of the object.
  public var pixelCount: Int { pixels.count { $0 } }

  /// The region as a gray image: 255 for pixels of the object and 0 for others.
  ///
  /// - Throws: A ``ModelError`` if the region is empty.
  public var image: ImageBuffer {
    get throws(ModelError) {
      do throws(ImageError) {
        return try ImageBuffer(
          width: width, height: height, format: .gray,
          pixels: PixelLoop.map(pixels) { $0 ? .max : 0 })
      } catch {
        throw ModelError(.output, .image(error))
      }
    }
  }

  /// Whether a pixel of the image belongs to the object.
  public func contains(x: Int, y: Int) -> Bool {
    guard (left..<left + width).contains(x), (top..<top + height).contains(y) else { return false }
    return pixels[(y - top) * width + x - left]
  }
}
