import TensorIOBundle
import TensorIOSystem

/// A folder layout for images and their masks.
struct MaskFolderLayout: Sendable {
  let imageFolder: String
  let maskFolder: String
  /// Whether an image without a mask is skipped rather than reported as an error.
  let allowsUnlabeledImages: Bool

  static let all = [
    MaskFolderLayout(imageFolder: "images", maskFolder: "masks", allowsUnlabeledImages: false),
    MaskFolderLayout(
      imageFolder: "JPEGImages", maskFolder: "SegmentationClass", allowsUnlabeledImages: true),
  ]

  /// Returns the layout of a folder, or `nil` if it has none of the known layouts.
  static func layout(of path: String) -> MaskFolderLayout? {
    all.first { layout in
      [layout.imageFolder, layout.maskFolder]
        .allSatisfy { FileKind(at: "\(path)/\($0)") == .directory }
    }
  }

  /// Returns the images and masks that share a file stem, in byte order of the masks.
  ///
  /// Files without a counterpart are logged, in the same order on every run.
  func pairs(in path: String, _ log: inout DataDiagnosticLog) throws(ModelError) -> [MaskPair] {
    let images = try files(of: imageFolder, in: path, ImageFileSet.pathExtensions, &log)
    let masks = try files(of: maskFolder, in: path, ["png"], &log)
    var pairs: [MaskPair] = []
    for (stem, mask) in masks.sortedByName {
      guard let image = images[stem] else {
        log.add(.unmatchedMask, path: "\(maskFolder)/\(mask)")
        continue
      }
      pairs.append(
        MaskPair(imagePath: "\(imageFolder)/\(image)", maskPath: "\(maskFolder)/\(mask)"))
    }
    for (stem, image) in images.sortedByName where !allowsUnlabeledImages && masks[stem] == nil {
      log.add(.unmatchedImage, path: "\(imageFolder)/\(image)")
    }
    return pairs.sorted { $0.maskPath.utf8.lexicographicallyPrecedes($1.maskPath.utf8) }
  }

  /// Returns the files of a folder by stem.
  private func files(
    of folder: String, in path: String, _ fileExtensions: Set<String>,
    _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [String: String] {
    var files: [String: String] = [:]
    for name in try DataPath.names(in: "\(path)/\(folder)") {
      if !name.hasFileExtension(in: fileExtensions) {
        log.add(.unexpectedFile, path: "\(folder)/\(name)")
      } else if files.updateValue(name, forKey: FilePath.stem(of: name)) != nil {
        log.add(.duplicateImage(FilePath.stem(of: name)), path: "\(folder)/\(name)")
      }
    }
    return files
  }
}

extension [String: String] {
  /// The stems and file names in byte order of the file names.
  fileprivate var sortedByName: [(key: String, value: String)] {
    sorted { $0.value.utf8.lexicographicallyPrecedes($1.value.utf8) }
  }
}

/// The relative paths of an image and its mask.
struct MaskPair: Sendable {
  let imagePath: String
  let maskPath: String
}

extension DataDiagnostic {
  static let unmatchedMask = DataDiagnostic(
    code: "unmatched-mask", message: "no image for this mask",
    suggestion: "give the image and its mask the same name, apart from the file extension")

  static let unmatchedImage = DataDiagnostic(
    code: "unmatched-image", message: "no mask for this image",
    suggestion: "give the image and its mask the same name, apart from the file extension")

  static func wrongMaskSize(mask: ImageSize, image: ImageSize) -> DataDiagnostic {
    DataDiagnostic(
      code: "size-mismatch", expected: "\(image)", found: "\(mask)",
      message: "mask size differs from the size of its image")
  }

  static func unknownClass(_ index: UInt8, count: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-class", expected: "0 to \(count - 1), or \(ClassMask.ignoredClass)",
      found: "\(index)", message: "class index has no label")
  }

  static let notAMask = DataDiagnostic(
    code: "invalid-mask-format", message: "mask is not a PNG file",
    suggestion: "save the mask as PNG")
}
