/// The transformation of an image into a model's input: orientation, fit and resampling.
///
/// ```swift
/// let preparation = ImagePreparation(width: 224, height: 224, fit: .crop, filter: .bilinear)
/// let fitted = try preparation(image)
/// let point = fitted.geometry.modelToImage.apply(112, 112)
/// ```
public struct ImagePreparation: Sendable {
  /// The width of the result.
  public var width: Int
  /// The height of the result.
  public var height: Int
  /// How the image is fitted into the width and height.
  public var fit: ImageFit
  /// The resampling filter.
  public var filter: ImageFilter
  /// The color of the bars.
  public var pad: PixelColor
  /// The position of the image between the bars of ``ImageFit/letterbox``.
  public var fitAnchor: ImageFitAnchor
  /// The size to which the image is scaled before its center is cut out: the length of the shorter side for
  /// ``ImageFit/crop``, and of both sides for ``ImageFit/stretch``; `nil` for the size of the result.
  ///
  /// A result that is larger has bars.
  public var resize: Int?
  /// The lengths of the sides that images determine, which are 0 as ``width`` and ``height``; `nil` for a fixed size.
  package var sides: ImageSides?

  /// Plans of recent image sizes; not part of the value.
  let planCache = ResamplingPlanCache()

  /// Creates a preparation for a result of the given size.
  public init(
    width: Int, height: Int, fit: ImageFit = .crop, filter: ImageFilter = .lanczos,
    pad: PixelColor = .black, fitAnchor: ImageFitAnchor = .center
  ) {
    self.width = width
    self.height = height
    self.fit = fit
    self.filter = filter
    self.pad = pad
    self.fitAnchor = fitAnchor
  }
}

extension ImagePreparation: Hashable {
  /// Returns whether two preparations produce the same result for every image.
  public static func == (left: ImagePreparation, right: ImagePreparation) -> Bool {
    left.width == right.width && left.height == right.height && left.fit == right.fit
      && left.filter == right.filter && left.pad == right.pad
      && left.fitAnchor == right.fitAnchor && left.resize == right.resize
      && left.sides == right.sides
  }

  /// Hashes the properties that affect the result.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(width)
    hasher.combine(height)
    hasher.combine(fit)
    hasher.combine(filter)
    hasher.combine(pad)
    hasher.combine(fitAnchor)
    hasher.combine(resize)
    hasher.combine(sides)
  }
}

extension ImagePreparation {
  /// Returns the rows of the prepared image, which are computed on demand.
  package func rows(of image: ImageBuffer) throws(ImageError) -> FittedRows {
    if let sides {
      let frame = frameSize(forWidth: image.uprightWidth, height: image.uprightHeight)
      return try rows(of: image, sides, in: frame)
    }
    if let content = image.fittedContent, content.preparation == self {
      return FittedRows(
        image: image, preparation: self, fit: content.fit, plan: .identity,
        geometry: content.geometry)
    }
    let (fit, plan) = try resampling(
      imageWidth: image.uprightWidth, imageHeight: image.uprightHeight,
      reduction: image.uprightReduction)
    return FittedRows(
      image: image, preparation: self, fit: fit, plan: plan,
      geometry: ImageGeometry(image, fit, self))
  }

  /// Returns the geometry and the plan for upright images of a size, which may be decoded at a lower
  /// resolution.
  func resampling(
    imageWidth: Int, imageHeight: Int, reduction: (x: Double, y: Double) = (1, 1)
  ) throws(ImageError) -> (fit: FitGeometry, plan: ResamplingPlan) {
    try ImageLimits.validate(width: width, height: height)
    guard
      let fit = FitGeometry(
        self, imageWidth: imageWidth, imageHeight: imageHeight, reduction: reduction)
    else {
      throw ImageError(.invalidSize(width: width, height: height))
    }
    let key = ResamplingPlanKey(
      imageWidth: imageWidth, imageHeight: imageHeight, fit: fit, filter: filter)
    return (fit, planCache.plan(for: key))
  }

  /// Calls a closure with each row of the prepared image, top to bottom, in the given format.
  ///
  /// A row is valid only during the call.
  @discardableResult
  package func prepare<Failure: Error>(
    _ image: ImageBuffer, as format: PixelFormat,
    row: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws -> ImageGeometry {
    let rows = try rows(of: image)
    try rows.forEach(as: format, row)
    return rows.geometry
  }

  /// Returns the prepared image and its geometry.
  public func callAsFunction(
    _ image: ImageBuffer, as format: PixelFormat = .rgb
  ) throws(ImageError) -> FittedImage {
    let rows = try rows(of: image)
    return FittedImage(image: rows.image(as: format), geometry: rows.geometry)
  }
}

/// How an image is fitted into a frame with a different aspect ratio.
public enum ImageFit: String, Sendable, Hashable, CaseIterable {
  /// The largest centered region with the frame's aspect ratio.
  case crop
  /// The whole image, without preserving its aspect ratio.
  case stretch
  /// The whole image with its aspect ratio, between bars.
  case letterbox
}

/// The position of an image between the bars of a letterbox.
public enum ImageFitAnchor: String, Sendable, Hashable, CaseIterable {
  /// Centered, with bars on both sides.
  case center
  /// In the upper left corner, with a bar on the right or at the bottom.
  case topLeft = "top-left"
}

/// A resampling filter.
///
/// All filters except ``nearest`` and those named linear take every pixel into account when they reduce an image. The
/// results are identical to Pillow's, which has none named linear.
public enum ImageFilter: String, Sendable, Hashable, CaseIterable {
  /// A windowed sinc function, the sharpest filter. Pillow's `LANCZOS`.
  case lanczos
  /// A cubic function. Pillow's `BICUBIC`.
  case bicubic
  /// A triangle function. Pillow's `BILINEAR`.
  case bilinear
  /// The mean of the covered area. Pillow's `BOX`.
  case area
  /// Interpolation between the four nearest pixels, at any scale. OpenCV's `INTER_LINEAR`, and
  /// TensorFlow's bilinear resizing without `antialias`.
  case linear
  /// Interpolation between the four nearest pixels, from pixel indices that are scaled without an
  /// offset of half a pixel. OpenCV's `warpAffine`, as MediaPipe prepares images, TensorFlow 1's
  /// bilinear resizing and ONNX's `asymmetric`.
  ///
  /// The image in a ``ImageFit/letterbox`` is not rounded to whole pixels.
  case linearAsymmetric = "linear-asymmetric"
  /// The same as ``linear``, with weights in units of 1/2048, as OpenCV computes it for bytes: most pixels are equal to
  /// those of OpenCV, and the others differ by one. Readers of text distinguish characters by such differences.
  case linearFixed = "linear-fixed"
  /// The nearest pixel. Pillow's `NEAREST`.
  case nearest
}

/// A prepared image and its relation to the original.
public struct FittedImage: Sendable {
  /// The prepared image.
  public let image: ImageBuffer
  /// The correspondence between the prepared and the original image.
  public let geometry: ImageGeometry
}
