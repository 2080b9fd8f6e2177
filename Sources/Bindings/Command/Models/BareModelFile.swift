import TensorIOBundle
import TensorIOCore
import TensorIORuntimes
import TensorIOSystem

/// The files of models without a description.
enum BareModelFile {
  /// Returns the extension of a file's name if it is one of a runtime's models; `nil` for other files.
  static func pathExtension(of fileName: String) -> String? {
    let extensions = BuiltInRuntimes.all.flatMap(\.format.files).compactMap { kind in
      if case .file(let name) = kind { name } else { String?.none }
    }
    let pathExtension = FilePath.pathExtension(of: fileName)
    return extensions.contains(pathExtension) ? pathExtension : nil
  }
}
