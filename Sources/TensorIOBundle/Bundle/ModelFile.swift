/// The file or folder that holds a model's weights.
public struct ModelFile: Sendable, Hashable {
  /// Where it lies.
  public let path: String
  /// Its name as `model.json` writes it, for messages.
  public let name: String
  /// What the bundle's manifest says of it, where there is one.
  var manifestVerifier: ManifestVerifier?

  /// A model at a path.
  public init(path: String, name: String) {
    self.path = path
    self.name = name
  }
}

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
