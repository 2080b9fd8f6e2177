package import TensorIOBundle

/// How a map of values is returned.
public struct MapOptions: Sendable, Hashable {
  /// The size of a map.
  public enum Size: String, Sendable, Hashable, CaseIterable {
    /// The size of the model's output.
    case model
    /// The size of the caller's image, to which values are interpolated.
    case original
  }

  /// The size of the map.
  public var size: Size

  /// Creates options.
  ///
  /// - Parameter size: The size of the map.
  public init(size: Size = .original) {
    self.size = size
  }

  /// Creates options from the settings of a bundle's task, with defaults for missing settings.
  package init(_ task: TaskDescription?) {
    size = task?.enumValue("size") ?? .original
  }
}
