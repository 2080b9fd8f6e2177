import TensorIOSystem

/// The file or folder with a model's weights.
public struct ModelFile: Sendable, Hashable {
  /// The path of the file or folder.
  public let path: String
  /// The name in `model.json`, for messages.
  public let name: String
  /// Verifies digests against the bundle's manifest, if it has one.
  var manifestVerifier: ManifestVerifier?
  /// Whether the bundle has a manifest, so that the contents have to be verified.
  package var hasManifest: Bool { manifestVerifier != nil }
  /// A folder with links to the files that the model refers to, and the folders that the links may lead to, as in the caches
  /// of hubs; `nil` if the files are in the folder of the model.
  package var links: Links?

  /// A folder with links to the files of a model.
  package struct Links: Sendable, Hashable {
    let folder: String
    /// The folders that the links may lead to, without links in their own paths.
    let targets: [String]

    /// Creates a folder of links.
    package init(in folder: String, to targets: [String]) {
      (self.folder, self.targets) = (folder, targets)
    }
  }

  /// Creates a reference to a model file.
  public init(path: String, name: String) {
    self.path = path
    self.name = name
  }
}

extension ModelFile {
  /// Returns a file in the model's folder that the model refers to, such as one with weights.
  ///
  /// - Parameter name: The path relative to the folder; untrusted.
  /// - Returns: The file, which the bundle's manifest covers if there is one.
  /// - Throws: ``ModelError`` if the file does not exist or is outside the folder.
  package func companion(named name: String) throws(ModelError) -> ModelFile {
    guard BundlePath.rejectionReason(for: name) == nil else {
      throw ModelError(.bundle, .unsafeName(name), file: path)
    }
    let folder = FilePath.parent(of: FilePath.resolved(path) ?? path)
    let linked = links.map { "\($0.folder)/\(name)" }
    let found = FilePath.resolved("\(folder)/\(name)") ?? linked.flatMap(FilePath.resolved)
    guard let resolved = found else {
      throw ModelError(.bundle, .missingFile(name), file: path)
    }
    let prefix = folder == "/" ? folder : folder + "/"
    let allowed = [prefix] + (links?.targets.map { $0 + "/" } ?? [])
    guard allowed.contains(where: { resolved.utf8.starts(with: $0.utf8) }) else {
      throw ModelError(.bundle, .unsafeName(name), file: path)
    }
    var file = ModelFile(path: resolved, name: name)
    file.manifestVerifier = manifestVerifier?.companion(
      at: String(decoding: resolved.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    return file
  }

  /// Reads the file, whose digest has to be that in the bundle's manifest if there is one.
  ///
  /// - Parameter limit: The maximum number of bytes.
  /// - Returns: The bytes.
  /// - Throws: ``ModelError`` if the file cannot be read or was changed.
  package func contents(limit: Int) throws(ModelError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileBytes.contents(of: path, limit: limit)
    } catch {
      throw ModelError(.bundle, error.reason(named: name), file: path)
    }
    try verify(bytes: bytes)
    return bytes
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
  /// ONNX Runtime.
  public static let onnx = BackendIdentifier(rawValue: "onnx")

  /// The identifier.
  public var description: String { rawValue }
}
