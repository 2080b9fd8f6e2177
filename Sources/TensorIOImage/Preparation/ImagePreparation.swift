/// How a picture becomes what a model sees: upright, of the right size, fitted and resampled.
///
/// ```swift
/// let preparation = ImagePreparation(width: 224, height: 224, fit: .crop, filter: .bilinear)
/// let prepared = try preparation(picture)
/// let point = prepared.geometry.modelToPicture.apply(112, 112)
/// ```
public struct ImagePreparation: Sendable {
  /// The width of the frame.
  public var width: Int
  /// The height of the frame.
  public var height: Int
  /// How the picture is fitted into the frame.
  public var fit: ImageFit
  /// How its pixels are computed.
  public var filter: ImageFilter
  /// What the bars of ``ImageFit/letterbox`` are filled with.
  public var pad: PixelColor

  /// Plans of earlier pictures; no part of the value.
  let planCache = ResamplingPlanCache()

  /// A preparation for a frame of the given size.
  public init(
    width: Int, height: Int, fit: ImageFit = .crop, filter: ImageFilter = .lanczos,
    pad: PixelColor = .black
  ) {
    self.width = width
    self.height = height
    self.fit = fit
    self.filter = filter
    self.pad = pad
  }
}

extension ImagePreparation: Hashable {
  /// Whether both make the same of every picture.
  public static func == (left: ImagePreparation, right: ImagePreparation) -> Bool {
    left.width == right.width && left.height == right.height && left.fit == right.fit
      && left.filter == right.filter && left.pad == right.pad
  }

  /// Feeds what makes a difference.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(width)
    hasher.combine(height)
    hasher.combine(fit)
    hasher.combine(filter)
    hasher.combine(pad)
  }
}

extension ImagePreparation {
  /// A picture ready to give the rows of the frame.
  public func rows(of image: ImageBuffer) throws(ImageError) -> FittedRows {
    try ImageLimits.validate(width: width, height: height)
    let placement = FitGeometry(
      self, imageWidth: image.uprightWidth, imageHeight: image.uprightHeight)
    guard let placement else { throw ImageError(.invalidSize(width: width, height: height)) }
    let plan = planCache.plan(
      for: ResamplingPlanKey(
        imageWidth: image.uprightWidth, imageHeight: image.uprightHeight,
        fit: placement, filter: filter))
    return FittedRows(
      image: image, preparation: self, fit: placement, plan: plan,
      geometry: ImageGeometry(image, placement, self))
  }

  /// Lends the rows of the frame one by one, top to bottom, in the wanted channels.
  ///
  /// The bytes of a row are there only while the closure runs.
  @discardableResult
  public func prepare<Failure: Error>(
    _ image: ImageBuffer, as format: PixelFormat,
    row: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws -> ImageGeometry {
    let rows = try rows(of: image)
    try rows.forEach(as: format, row)
    return rows.geometry
  }

  /// The picture as the frame shows it.
  public func callAsFunction(
    _ image: ImageBuffer, as format: PixelFormat = .rgb
  ) throws(ImageError) -> FittedImage {
    let rows = try rows(of: image)
    return FittedImage(image: rows.image(as: format), geometry: rows.geometry)
  }
}

/// How a picture is made to fit a frame of another shape.
public enum ImageFit: String, Sendable, Hashable, CaseIterable {
  /// The largest centred part that has the frame's shape.
  case crop
  /// The whole picture, its shape given up.
  case stretch
  /// The whole picture, as large as fits, centred between bars.
  case letterbox
}

/// How the pixels of a picture of another size are computed.
///
/// All but ``linear`` and ``nearest`` see every pixel of the picture when they make it smaller. The
/// results are those of Pillow's filters; Pillow has no ``linear``.
public enum ImageFilter: String, Sendable, Hashable, CaseIterable {
  /// A sinc under a sinc: the sharpest. Pillow's `LANCZOS`.
  case lanczos
  /// A cubic curve. Pillow's `BICUBIC`.
  case bicubic
  /// A triangle. Pillow's `BILINEAR`.
  case bilinear
  /// The mean of the covered area. Pillow's `BOX`.
  case area
  /// The four nearest pixels, however many there are. OpenCV's `INTER_LINEAR`, and TensorFlow's
  /// bilinear resizing without `antialias`.
  case linear
  /// One pixel, untouched. Pillow's `NEAREST`.
  case nearest
}

/// A picture made for a model, and how the two correspond.
public struct FittedImage: Sendable {
  /// What the model sees.
  public let image: ImageBuffer
  /// How it corresponds to the picture.
  public let geometry: ImageGeometry
}
