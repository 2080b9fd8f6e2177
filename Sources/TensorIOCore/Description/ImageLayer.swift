public import TensorIOImage

/// A picture: an `image` layer.
public struct ImageLayer: Sendable, Hashable {
  /// The shape as declared: height, width and channels in the order of the layout, possibly behind
  /// a batch.
  public var shape: TensorShape
  /// How many rows of pixels.
  public var height: Int
  /// How many pixels in a row.
  public var width: Int
  /// The order of the channels: RGB, BGR or gray.
  public var format: PixelFormat
  /// Whether the channels of a pixel lie together or in planes of their own.
  public var layout: ImageLayout
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
    layout: ImageLayout = .channelsLast, normalize: Normalization? = nil,
    denormalize: Normalization? = nil, fit: ImageFit = .crop, filter: ImageFilter = .lanczos,
    pad: PixelColor = .black
  ) {
    self.shape = shape
    self.height = height
    self.width = width
    self.format = format
    self.layout = layout
    self.normalize = normalize
    self.denormalize = denormalize
    self.fit = fit
    self.filter = filter
    self.pad = pad
  }
}

/// In which order a tensor holds the channels of a picture.
///
/// The raw values are the words of `model.json`: N is the batch, H the height, W the width and C
/// the channels.
public enum ImageLayout: String, Sendable, Hashable, CaseIterable {
  /// The channels of a pixel lie together.
  case channelsLast = "NHWC"
  /// Each channel is a plane of its own.
  case channelsFirst = "NCHW"
}
