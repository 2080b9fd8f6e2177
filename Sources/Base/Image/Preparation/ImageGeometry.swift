/// The correspondence between the pixels of a model's input and those of the image it was made
/// from.
///
/// Coordinates are continuous: the upper left corner of the upper left pixel is (0, 0) and its
/// center (0.5, 0.5). Image coordinates refer to the *upright* image at the resolution of its file,
/// even if it was decoded at a lower resolution.
public struct ImageGeometry: Sendable, Hashable {
  /// The width of the upright image.
  public let imageWidth: Int
  /// The height of the upright image.
  public let imageHeight: Int
  /// The width of the model's input.
  public let modelWidth: Int
  /// The height of the model's input.
  public let modelHeight: Int
  /// The map from the upright image to the model's input.
  public let imageToModel: AffineMap
  /// The map from the model's input to the upright image.
  public let modelToImage: AffineMap

  init(_ image: ImageBuffer, _ fit: FitGeometry, _ preparation: ImagePreparation) {
    let swaps = image.orientation.swapsDimensions
    self.init(
      imageWidth: swaps ? image.originalHeight : image.originalWidth,
      imageHeight: swaps ? image.originalWidth : image.originalHeight,
      reduction: image.uprightReduction, fit, preparation)
  }

  /// Creates the geometry of an upright image that was decoded at a lower resolution.
  init(
    imageWidth: Int, imageHeight: Int, reduction: (x: Double, y: Double) = (1, 1),
    _ fit: FitGeometry, _ preparation: ImagePreparation
  ) {
    (self.imageWidth, self.imageHeight) = (imageWidth, imageHeight)
    (modelWidth, modelHeight) = (preparation.width, preparation.height)
    let (region, content) = (fit.sourceRegion, fit.placement)
    // The number of file pixels per model pixel.
    let scaleX = region.width / content.width * reduction.x
    let scaleY = region.height / content.height * reduction.y
    let (originX, originY) = (region.x * reduction.x, region.y * reduction.y)
    let (left, top) = (content.x, content.y)
    modelToImage = AffineMap(
      a: scaleX, b: 0, c: 0, d: scaleY, tx: originX - left * scaleX, ty: originY - top * scaleY)
    imageToModel = AffineMap(
      a: 1 / scaleX, b: 0, c: 0, d: 1 / scaleY, tx: left - originX / scaleX,
      ty: top - originY / scaleY)
  }

  /// Creates the geometry of an image that fills the upper left part of a model's input.
  init(
    imageWidth: Int, imageHeight: Int, modelWidth: Int, modelHeight: Int, modelToImage: AffineMap
  ) {
    (self.imageWidth, self.imageHeight) = (imageWidth, imageHeight)
    (self.modelWidth, self.modelHeight) = (modelWidth, modelHeight)
    (self.modelToImage, imageToModel) = (modelToImage, modelToImage.inverse ?? .identity)
  }

  /// Creates the geometry of an image that is used as the model's input without changes.
  public init(identityWidth width: Int, height: Int) {
    (imageWidth, imageHeight) = (width, height)
    (modelWidth, modelHeight) = (width, height)
    (imageToModel, modelToImage) = (.identity, .identity)
  }
}

extension ImageBuffer {
  /// The number of file pixels per pixel along the sides of the upright image.
  var uprightReduction: (x: Double, y: Double) {
    orientation.swapsDimensions ? (x: reduction.y, y: reduction.x) : reduction
  }
}

/// The region of an upright image that is used, and the region of the frame that it fills.
struct FitGeometry: Hashable {
  /// A rectangle with fractional coordinates.
  struct Region: Hashable {
    var x, y, width, height: Double
  }

  /// The region of the image that is used.
  let sourceRegion: Region
  /// The pixels of the frame that it fills.
  let targetRegion: PixelRegion
  /// The exact region of the frame that it fills.
  let placement: Region
  /// The centers of the first column and row of `targetRegion` in the image, for
  /// ``ImageFilter/linearAsymmetric``.
  private(set) var firstCenter: Center?
  /// How the image is scaled before its center is cut out; `nil` if a region of the image fills a region of the frame.
  private(set) var cut: Cut?

  /// The axes of an image that is scaled before its center is cut out.
  struct Cut: Hashable {
    let x, y: CutAxis
  }

  /// A point of the image.
  struct Center: Hashable {
    var x, y: Double
  }

  /// Creates the geometry; `nil` if the image or the frame is empty or has a side that is too long.
  ///
  /// - Parameters:
  ///   - preparation: The size of the frame and the fit.
  ///   - imageWidth: The width of the image.
  ///   - imageHeight: The height of the image.
  ///   - reduction: The number of file pixels per pixel of the image.
  init?(
    _ preparation: ImagePreparation, imageWidth: Int, imageHeight: Int,
    reduction: (x: Double, y: Double) = (1, 1)
  ) {
    let (width, height) = (preparation.width, preparation.height)
    let sides = [width, height, imageWidth, imageHeight]
    // Products of two such sides cannot overflow. JPEG sides can be up to 65,535 pixels long.
    guard sides.allSatisfy({ $0 > 0 && $0 <= Int(UInt16.max) }) else { return nil }
    let whole = Region(x: 0, y: 0, width: Double(imageWidth), height: Double(imageHeight))
    let frame = PixelRegion(x: 0, y: 0, width: width, height: height)
    let isLetterbox = preparation.fit == .letterbox
    var inner = frame
    if let side = preparation.resize, !isLetterbox {
      let shorter = min(imageWidth, imageHeight)
      let isStretched = preparation.fit == .stretch
      let resized = [imageWidth, imageHeight].map { isStretched ? side : side * $0 / shorter }
      guard
        let x = CutAxis(imageWidth, resizedTo: resized[0], frame: width),
        let y = CutAxis(imageHeight, resizedTo: resized[1], frame: height)
      else { return nil }
      let (columns, rows) = (x.source, y.source)
      sourceRegion = Region(
        x: columns.start, y: rows.start, width: columns.length, height: rows.length)
      inner = PixelRegion(x: x.first, y: y.first, width: x.pixels.count, height: y.pixels.count)
      if preparation.filter != .linearAsymmetric { cut = Cut(x: x, y: y) }
    } else {
      sourceRegion = preparation.fit == .crop ? Self.centerCrop(of: whole, matching: frame) : whole
    }
    guard preparation.filter == .linearAsymmetric else {
      targetRegion =
        isLetterbox
        ? Self.letterbox(frame, preparation.fitAnchor, imageWidth, imageHeight) : inner
      placement = Region(targetRegion)
      return
    }
    placement =
      isLetterbox
      ? Self.exactLetterbox(Region(frame), preparation.fitAnchor, whole) : Region(inner)
    let x = AsymmetricAxis(
      from: sourceRegion.x, sourceRegion.width, to: placement.x, placement.width,
      frame: width, reduction: reduction.x)
    let y = AsymmetricAxis(
      from: sourceRegion.y, sourceRegion.height, to: placement.y, placement.height,
      frame: height, reduction: reduction.y)
    targetRegion = PixelRegion(
      x: x.pixels.lowerBound, y: y.pixels.lowerBound, width: x.pixels.count,
      height: y.pixels.count)
    firstCenter = Center(x: x.firstCenter, y: y.firstCenter)
  }

  /// Returns the largest region of a frame with the aspect ratio of an image.
  private static func exactLetterbox(
    _ frame: Region, _ anchor: ImageFitAnchor, _ image: Region
  ) -> Region {
    let scale = max(image.width / frame.width, image.height / frame.height)
    let (width, height) = (image.width / scale, image.height / scale)
    guard anchor == .center else { return Region(x: 0, y: 0, width: width, height: height) }
    return Region(
      x: (frame.width - width) / 2, y: (frame.height - height) / 2, width: width, height: height)
  }

  private static func centerCrop(of whole: Region, matching frame: PixelRegion) -> Region {
    let (width, height) = (Double(frame.width), Double(frame.height))
    if whole.width * height > whole.height * width {
      let croppedWidth = whole.height * width / height
      return Region(
        x: (whole.width - croppedWidth) / 2, y: 0, width: croppedWidth, height: whole.height)
    }
    let croppedHeight = whole.width * height / width
    return Region(
      x: 0, y: (whole.height - croppedHeight) / 2, width: whole.width, height: croppedHeight)
  }

  private static func letterbox(
    _ frame: PixelRegion, _ anchor: ImageFitAnchor, _ imageWidth: Int, _ imageHeight: Int
  ) -> PixelRegion {
    var content = frame
    if imageWidth * frame.height > imageHeight * frame.width {
      content.height = max(1, rounded(imageHeight * frame.width, over: imageWidth))
    } else {
      content.width = max(1, rounded(imageWidth * frame.height, over: imageHeight))
    }
    guard anchor == .center else { return content }
    content.x = (frame.width - content.width) / 2
    content.y = (frame.height - content.height) / 2
    return content
  }

  /// Returns a quotient rounded half up.
  private static func rounded(_ dividend: Int, over divisor: Int) -> Int {
    (2 * dividend + divisor) / (2 * divisor)
  }
}

extension FitGeometry.Region {
  fileprivate init(_ region: PixelRegion) {
    (x, y) = (Double(region.x), Double(region.y))
    (width, height) = (Double(region.width), Double(region.height))
  }
}

/// One axis of an image that is scaled before its center is cut out.
struct CutAxis: Hashable {
  /// The length that the side is scaled to.
  let length: Int
  /// The pixels of the scaled side that are used.
  let pixels: Range<Int>
  /// The first pixel of the frame that they fill.
  let first: Int
  private let imageLength: Int

  /// The maximum length of a scaled side: images can be much longer than wide.
  private static let maxLength = 1 << 20

  /// Creates an axis; `nil` if the scaled side is empty or too long.
  ///
  /// Fractions of a pixel are those of Torchvision and Transformers: rounded down if something is cut off, and up if there
  /// are bars.
  init?(_ imageLength: Int, resizedTo length: Int, frame: Int) {
    guard (1...Self.maxLength).contains(length) else { return nil }
    (self.imageLength, self.length) = (imageLength, length)
    let skipped = max(0, length - frame) / 2
    pixels = skipped..<skipped + min(length, frame)
    first = (max(0, frame - length) + 1) / 2
  }

  /// The section of the image that is used.
  var source: (start: Double, length: Double) {
    let scale = Double(imageLength) / Double(length)
    return (Double(pixels.lowerBound) * scale, Double(pixels.count) * scale)
  }
}

/// One axis of a frame whose pixel indices are scaled to those of an image without an offset of half a
/// pixel.
private struct AsymmetricAxis {
  /// The pixels of the frame that show the image.
  let pixels: Range<Int>
  /// The center of the first of them in the image.
  let firstCenter: Double

  init(
    from start: Double, _ length: Double, to first: Double, _ count: Double, frame: Int,
    reduction: Double
  ) {
    let step = length / count
    // Half a pixel of the file, whatever the resolution it was decoded at.
    let offset = 0.5 / reduction
    let end = first + count
    let lower = max(Int((first - offset / step).rounded(.up)), 0)
    let upper =
      end > Double(frame) - 1e-6 ? frame : min(Int((end - offset / step).rounded(.up)), frame)
    // An image that is narrower than a pixel, between two of them, fills the pixel in which its center lies.
    let middle = min(Int(first + count / 2), frame - 1)
    pixels = lower < upper ? lower..<upper : middle..<middle + 1
    firstCenter = start + (Double(pixels.lowerBound) - first) * step + offset
  }
}
