/// A picture made for a model, and how the two correspond.
public struct PreparedImage: Sendable {
  /// What the model sees.
  public let image: ImageBuffer
  /// How it corresponds to the picture.
  public let geometry: ImageGeometry
}
