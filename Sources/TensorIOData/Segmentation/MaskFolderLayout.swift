import TensorIOBundle
import TensorIOSystem

/// One way in which folders hold pictures and their masks.
struct MaskFolderLayout: Sendable {
  let imageFolder: String
  let maskFolder: String
  /// Whether a picture without a mask is one that nobody has labelled, and no fault.
  let allowsUnlabeledImages: Bool

  static let all = [
    MaskFolderLayout(imageFolder: "images", maskFolder: "masks", allowsUnlabeledImages: false),
    MaskFolderLayout(imageFolder: "JPEGImages", maskFolder: "SegmentationClass", allowsUnlabeledImages: true),
  ]

  /// The layout of a folder.
  static func layout(of path: String) -> MaskFolderLayout? {
    all.first { layout in
      [layout.imageFolder, layout.maskFolder].allSatisfy { FileKind(at: "\(path)/\($0)") == .directory }
    }
  }

  /// The pairs of a folder by their stems, in byte order; what has no other half is noted.
  func pairs(in path: String, _ log: inout DataDiagnosticLog) throws(ModelError) -> [MaskPair] {
    let pictures = try files(of: self.imageFolder, in: path, ImageFolderFormat.imageExtensions, &log)
    let masks = try files(of: self.maskFolder, in: path, ["png"], &log)
    var pairs: [MaskPair] = []
    for (stem, mask) in masks {
      guard let picture = pictures[stem] else {
        log.add(.missingCounterpart("picture"), path: "\(self.maskFolder)/\(mask)")
        continue
      }
      pairs.append(
        MaskPair(imagePath: "\(self.imageFolder)/\(picture)", maskPath: "\(self.maskFolder)/\(mask)"))
    }
    for (stem, picture) in pictures where !allowsUnlabeledImages && masks[stem] == nil {
      log.add(.missingCounterpart("mask"), path: "\(self.imageFolder)/\(picture)")
    }
    return pairs.sorted { $0.maskPath.utf8.lexicographicallyPrecedes($1.maskPath.utf8) }
  }

  /// The files of a folder by their stems.
  private func files(
    of folder: String, in path: String, _ endings: Set<String>, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [String: String] {
    var files: [String: String] = [:]
    for name in try DataPath.names(in: "\(path)/\(folder)") {
      if !name.hasFileExtension(in: endings) {
        log.add(.unexpectedFile, path: "\(folder)/\(name)")
      } else if files.updateValue(name, forKey: DataPath.stem(of: name)) != nil {
        log.add(.duplicateImage(DataPath.stem(of: name)), path: "\(folder)/\(name)")
      }
    }
    return files
  }
}

/// A picture and its mask, by their places in the folder of both.
struct MaskPair: Sendable {
  let imagePath: String
  let maskPath: String
}

extension DataDiagnostic {
  static func missingCounterpart(_ what: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "missing-\(what)", message: "There is no \(what) of this name.",
      suggestion: "a picture and its mask are called alike but for the ending")
  }

  static func wrongMaskSize(mask: ImageSize, picture: ImageSize) -> DataDiagnostic {
    DataDiagnostic(
      code: "wrong-size", expected: "\(picture)", found: "\(mask)",
      message: "The mask has another size than its picture.")
  }

  static func unknownClass(_ index: UInt8, count: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-class", expected: "0 to \(count - 1), or \(ClassMask.ignoredClass)",
      found: "\(index)", message: "This is the index of no label.")
  }

  static let notAMask = DataDiagnostic(
    code: "not-a-mask", message: "A mask is a PNG.", suggestion: "save it as PNG, without loss")
}
