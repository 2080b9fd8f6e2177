public import TensorIOBundle

/// An example that could not be used.
public struct SkippedExample: Sendable {
  /// The name: a relative path, or a line.
  public let name: String
  /// The reason.
  public let error: ModelError
}
