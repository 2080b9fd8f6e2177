/// The name of a runtime, as `model.json` writes it.
public struct BackendIdentifier: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The word in `model.json`.
  public let rawValue: String

  /// A runtime by its word, in any case.
  public init(rawValue: String) {
    self.rawValue = rawValue.lowercased()
  }

  /// TensorFlow Lite, now LiteRT.
  public static let tflite = BackendIdentifier(rawValue: "tflite")
  /// TensorFlow.
  public static let tensorflow = BackendIdentifier(rawValue: "tensorflow")

  /// The word itself.
  public var description: String { rawValue }
}
