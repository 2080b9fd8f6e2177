public import TensorIOImage

/// A picture: an `image` layer.
public struct ImageLayer: Sendable, Hashable {
  /// The shape as declared: height, width and channels, possibly behind a batch.
  public var shape: TensorShape
  /// How many rows of pixels.
  public var height: Int
  /// How many pixels in a row.
  public var width: Int
  /// The order of the channels: RGB, BGR or gray.
  public var format: PixelFormat
  /// How an input's pixels become numbers; `nil` keeps 0 to 255.
  public var normalize: Normalization?
  /// How an output's numbers become pixels; `nil` takes them as 0 to 255.
  public var denormalize: Normalization?
  /// How a picture of another shape is fitted.
  public var fit: ImageFit
  /// How a picture of another size is resampled.
  public var filter: ImageFilter
  /// What a letterbox is filled with.
  public var pad: PixelColor

  /// A picture of a size.
  public init(
    shape: TensorShape, height: Int, width: Int, format: PixelFormat,
    normalize: Normalization? = nil, denormalize: Normalization? = nil, fit: ImageFit = .crop,
    filter: ImageFilter = .lanczos, pad: PixelColor = .black
  ) {
    self.shape = shape
    self.height = height
    self.width = width
    self.format = format
    self.normalize = normalize
    self.denormalize = denormalize
    self.fit = fit
    self.filter = filter
    self.pad = pad
  }
}
