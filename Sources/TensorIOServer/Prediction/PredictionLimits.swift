import TensorIOImage

/// The limits on the images of prediction requests.
///
/// Images are decoded in the server. Small files can declare large images, so their pixels and the
/// memory for decoding them are limited, and the memory is shared by all requests.
package struct PredictionLimits: Sendable {
  /// The maximum number of pixels of one image.
  package let maxPixels: Int
  /// The maximum number of pixels of all images of a request.
  package let maxRequestPixels: Int
  /// The memory for decoding and drawing images, shared by all requests.
  package let imageMemory: MemoryBudget
  /// The maximum time that an item waits for its share of the memory.
  package var memoryTimeout = Duration.seconds(10)

  /// The maximum number of pixels of a request's images, relative to those of one image.
  static let requestPixelFactor = 8
  /// The number of pixels above which decoding an image takes long enough to delay others.
  static let maxForegroundPixels = 1 << 23
  /// The number of items above which a request takes long enough to delay others.
  static let maxForegroundItems = 8
  /// The maximum side of an annotated image, in pixels.
  static let maxAnnotatedSide = 2048
  /// The memory for drawing and encoding one pixel of an annotated image, in bytes: the image, the
  /// canvas, and copies in other pixel formats.
  static let annotationBytesPerPixel = 24

  /// Creates limits; `nil` uses those of ``ImageLimits`` and the memory of the machine or container.
  package init(maxPixels: Int? = nil, imageMemory: MemoryBudget? = nil) {
    self.maxPixels = maxPixels ?? ImageLimits.maxArea
    maxRequestPixels = Self.requestPixelFactor * self.maxPixels
    self.imageMemory =
      imageMemory ?? MemoryBudget(byteCount: MemoryBudget.defaultByteCount)
  }

  /// The maximum side of an annotated image, for which half of the memory is sufficient.
  var maxAnnotatedSide: Int {
    let pixels = imageMemory.byteCount / 2 / Self.annotationBytesPerPixel
    return max(64, min(Self.maxAnnotatedSide, Int(Double(pixels).squareRoot())))
  }
}
