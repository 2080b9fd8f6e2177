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
  let plans = PlanCache()

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
  public func rows(of image: ImageBuffer) throws(ImageError) -> PreparedRows {
    try ImageLimits.check(width: width, height: height)
    let placement = Placement(
      self, pictureWidth: image.uprightWidth, pictureHeight: image.uprightHeight)
    guard let placement else { throw ImageError(.impossibleSize(width: width, height: height)) }
    let plan = plans.plan(
      for: PlanKey(
        pictureWidth: image.uprightWidth, pictureHeight: image.uprightHeight,
        placement: placement, filter: filter))
    return PreparedRows(
      image: image, preparation: self, placement: placement, plan: plan,
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
  ) throws(ImageError) -> PreparedImage {
    let rows = try rows(of: image)
    return PreparedImage(image: rows.image(as: format), geometry: rows.geometry)
  }
}
