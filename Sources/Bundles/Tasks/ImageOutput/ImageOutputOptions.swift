package import TensorIOBundle

/// How the image that a model computes is returned.
public struct ImageOutputOptions: Sendable, Hashable {
  /// The size of a returned image.
  public enum Size: String, Sendable, Hashable, CaseIterable {
    /// The size of the model's output.
    case model
    /// The size of the caller's image: the bars of a letterbox are removed, and a cropped region is
    /// resized to its original size.
    case original
  }

  /// The size of the returned image.
  public var size: Size

  /// Creates options.
  ///
  /// - Parameter size: The size of the returned image.
  public init(size: Size = .model) {
    self.size = size
  }

  /// Creates options from the settings of a bundle's task, with defaults for missing settings.
  package init(_ task: TaskDescription?) {
    size = task?.enumValue("size") ?? .model
  }
}
