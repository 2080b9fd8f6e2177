import TensorIOBundle
import TensorIOData
import TensorIOServer

/// The file with the ground truth of uploaded images, or of rows without images.
enum AnnotationFile: String, Sendable, CaseIterable {
  /// A table whose columns are inputs, paths of images, and ground truth.
  case table = "data.csv"
  /// COCO annotations of boxes.
  case boxes = "annotations.json"

  /// Returns the paths of the uploaded images to which the file refers.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - bundle: The bundle that is evaluated, whose inputs are columns of a table.
  /// - Returns: The paths, as in an upload.
  /// - Throws: A ``ClientError`` if the file is invalid.
  func imagePaths(in bytes: [UInt8], for bundle: ModelBundle) throws(ClientError) -> [String] {
    let files: ReferencedFiles? =
      switch self {
      case .table: ReferencedFiles(table: bytes, columns: bundle.fileColumns)
      case .boxes: ReferencedFiles(annotations: bytes)
      }
    guard let names = files?.names else {
      throw ClientError(
        .unprocessableContent, "invalid-annotations", "'\(rawValue)' cannot be read")
    }
    // The names in COCO annotations are those in a folder.
    return self == .boxes ? names.map { "\(Self.imageFolder)/\($0)" } : names
  }

  /// The folder of the images of annotations.
  private static let imageFolder = "images"
}

extension ModelBundle {
  /// The inputs whose values in a table can be the names of files.
  fileprivate var fileColumns: Set<String> {
    let layers = description.modes.union([description.defaultMode]).flatMap {
      description.resolved(for: $0).inputs
    }
    return Set(layers.filter { $0.isImage || $0.isAudio }.map(\.name))
  }
}
