internal import TensorIOCore
internal import TensorIOSystem

/// One way in which folders hold pictures and their masks.
struct MaskLayout: Sendable {
  let pictures: String
  let masks: String
  /// Whether a picture without a mask is one that nobody has labelled, and no fault.
  let isPartial: Bool

  static let all = [
    MaskLayout(pictures: "images", masks: "masks", isPartial: false),
    MaskLayout(pictures: "JPEGImages", masks: "SegmentationClass", isPartial: true),
  ]

  /// The layout of a folder.
  static func layout(of path: String) -> MaskLayout? {
    all.first { layout in
      [layout.pictures, layout.masks].allSatisfy { FileKind(at: "\(path)/\($0)") == .folder }
    }
  }

  /// The pairs of a folder by their stems, in byte order; what has no other half is noted.
  func pairs(in path: String, _ log: inout DataLog) throws(ModelError) -> [MaskPair] {
    let pictures = try files(of: self.pictures, in: path, LabelledFolder.endings, &log)
    let masks = try files(of: self.masks, in: path, ["png"], &log)
    var pairs: [MaskPair] = []
    for (stem, mask) in masks {
      guard let picture = pictures[stem] else {
        log.add(.missingHalf("picture"), path: "\(self.masks)/\(mask)")
        continue
      }
      pairs.append(
        MaskPair(picture: "\(self.pictures)/\(picture)", mask: "\(self.masks)/\(mask)"))
    }
    for (stem, picture) in pictures where !isPartial && masks[stem] == nil {
      log.add(.missingHalf("mask"), path: "\(self.pictures)/\(picture)")
    }
    return pairs.sorted { $0.mask.utf8.lexicographicallyPrecedes($1.mask.utf8) }
  }

  /// The files of a folder by their stems.
  private func files(
    of folder: String, in path: String, _ endings: Set<String>, _ log: inout DataLog
  ) throws(ModelError) -> [String: String] {
    var files: [String: String] = [:]
    for name in try DataPath.names(in: "\(path)/\(folder)") {
      if !name.hasEnding(endings) {
        log.add(.strayFile, path: "\(folder)/\(name)")
      } else if files.updateValue(name, forKey: DataPath.stem(of: name)) != nil {
        log.add(.duplicatePicture(DataPath.stem(of: name)), path: "\(folder)/\(name)")
      }
    }
    return files
  }
}

/// A picture and its mask, by their places in the folder of both.
struct MaskPair: Sendable {
  let picture: String
  let mask: String
}

extension DataFault {
  static func missingHalf(_ what: String) -> DataFault {
    DataFault(
      code: "missing-\(what)", message: "There is no \(what) of this name.",
      suggestion: "a picture and its mask are called alike but for the ending")
  }

  static func wrongMaskSize(mask: PictureSize, picture: PictureSize) -> DataFault {
    DataFault(
      code: "wrong-size", expected: "\(picture)", found: "\(mask)",
      message: "The mask has another size than its picture.")
  }

  static func unknownClass(_ index: UInt8, count: Int) -> DataFault {
    DataFault(
      code: "unknown-class", expected: "0 to \(count - 1), or \(ClassMask.ignored)",
      found: "\(index)", message: "This is the index of no label.")
  }

  static let notAMask = DataFault(
    code: "not-a-mask", message: "A mask is a PNG.", suggestion: "save it as PNG, without loss")
}
