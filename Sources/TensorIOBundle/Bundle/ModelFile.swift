/// The file or folder with a model's weights.
public struct ModelFile: Sendable, Hashable {
  /// The path of the file or folder.
  public let path: String
  /// The name in `model.json`, for messages.
  public let name: String
  /// Verifies digests against the bundle's manifest, if it has one.
  var manifestVerifier: ManifestVerifier?

  /// Creates a reference to a model file.
  public init(path: String, name: String) {
    self.path = path
    self.name = name
  }
}

/// The identifier of a runtime, as written in `model.json`.
public struct BackendIdentifier: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The identifier, in lower case.
  public let rawValue: String

  /// Creates an identifier, converting it to lower case.
  public init(rawValue: String) {
    self.rawValue = rawValue.lowercased()
  }

  /// TensorFlow Lite, now LiteRT.
  public static let tflite = BackendIdentifier(rawValue: "tflite")
  /// TensorFlow.
  public static let tensorflow = BackendIdentifier(rawValue: "tensorflow")

  /// The identifier.
  public var description: String { rawValue }
}
