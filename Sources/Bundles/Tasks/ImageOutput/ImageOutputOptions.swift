/// How an image that a model computes, or a map of values, is returned.
public struct ImageOutputOptions: Sendable, Hashable {
  /// The size of a result with a value for each pixel.
  public enum Size: String, Sendable, Hashable, CaseIterable {
    /// The size of the model's output.
    case model
    /// The size of the caller's image: the bars of a letterbox are removed, a cropped region is resized to its original size,
    /// and values are interpolated.
    case original
  }

  /// The size of the result.
  public var size: Size

  /// Creates options.
  ///
  /// - Parameter size: The size of the result.
  public init(size: Size = .model) {
    self.size = size
  }
}
