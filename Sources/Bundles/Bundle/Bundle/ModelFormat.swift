import TensorIOSystem

/// A model format: the backend that runs it, and the files by which it is recognized.
///
/// ```swift
/// import TensorIO
///
/// let format = ModelFormat(
///   BackendIdentifier(rawValue: "doubler"), files: [.file(extension: "doubler")])
/// ```
public struct ModelFormat: Sendable, Hashable {
  /// The identifier of the backend in `model.json`.
  public let backend: BackendIdentifier
  /// The kinds of files that hold models of this format.
  public let files: [ModelFileKind]

  /// Creates a format.
  ///
  /// - Parameters:
  ///   - backend: The identifier of the backend in `model.json`.
  ///   - files: The kinds of files that hold models of this format.
  public init(_ backend: BackendIdentifier, files: [ModelFileKind]) {
    self.backend = backend
    self.files = files
  }

  /// Models of TensorFlow Lite, now LiteRT.
  public static let tflite = ModelFormat(.tflite, files: [.file(extension: "tflite")])
  /// SavedModels of TensorFlow.
  public static let tensorflow = ModelFormat(
    .tensorflow, files: [.folder(marker: "saved_model.pb")])

  /// ONNX models.
  public static let onnx = ModelFormat(.onnx, files: [.file(extension: "onnx")])

  /// The formats that every bundle may use; `schema/model.schema.json` lists their backends.
  package static let standard: [ModelFormat] = [.tflite, .tensorflow, .onnx]

  /// Returns whether the file or folder at a path is a model of this format, by its name or marker.
  package func matches(modelAt path: String) -> Bool {
    files.contains { $0.matches(path) { "\(path)/\($0)" } }
  }
}

/// A kind of file or folder that holds a model.
public enum ModelFileKind: Sendable, Hashable {
  /// A file with a name that ends in this extension, such as `tflite`.
  case file(extension: String)
  /// A folder that contains a file of this name, such as `saved_model.pb`.
  case folder(marker: String)

  /// Returns whether the file or folder at a path is of this kind.
  ///
  /// - Parameters:
  ///   - path: The path of the file or folder.
  ///   - markerPath: Returns the path of a file in the folder; `nil` if it is not allowed.
  /// - Returns: Whether the extension or the marker matches.
  func matches(_ path: String, _ markerPath: (String) -> String?) -> Bool {
    switch self {
    case .file(let name):
      FilePath.pathExtension(of: path) == name.lowercased() && FileKind(at: path) == .file
    case .folder(let marker): markerPath(marker).flatMap { FileKind(at: $0) } == .file
    }
  }
}

extension ModelFileKind: CustomStringConvertible {
  /// A description for messages, such as `.tflite` or `a folder with saved_model.pb`.
  public var description: String {
    switch self {
    case .file(let name): ".\(name)"
    case .folder(let marker): "a folder with \(marker)"
    }
  }
}
