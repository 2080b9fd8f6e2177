internal import TensorIOImage

/// What the processor can do that matters here.
enum ProcessorFeatures {
  /// The features by their usual names, in order.
  static var names: [String] { PixelSupport.features }
}
