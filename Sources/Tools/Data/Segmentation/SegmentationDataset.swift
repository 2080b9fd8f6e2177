public import TensorIOBundle
import TensorIOImage
import TensorIOSystem

/// Images with masks that give the class of every pixel.
///
/// The folder contains `images` and `masks`, or `JPEGImages` and `SegmentationClass` as in Pascal
/// VOC; an image and its mask have the same name apart from the file extension. Masks are PNG files
/// whose pixels are label indices: palette indices, or gray values as stored.
///
/// ```swift
/// import TensorIOData
///
/// let data = try SegmentationDataset(at: "birds", labels: ["background", "bird"])
/// let mask = try data.mask(at: 0)
/// print(mask.presentClasses.map { data.labels[$0] })
/// ```
public struct SegmentationDataset: IndexedDataset {
  /// The path of the folder.
  public let path: String
  /// The names of the classes, as passed to the initializer.
  public let labels: [String]
  /// The errors of the dataset and of its images.
  public let errors: [Diagnostic]
  /// What was skipped while reading.
  public let warnings: [Diagnostic]

  private let items: [Item]
  private var selection: [Int]

  private struct Item: Sendable {
    let pair: MaskPair
    let error: Diagnostic?
  }

  /// Opens a dataset.
  ///
  /// - Parameters:
  ///   - path: The folder of the dataset.
  ///   - labels: The names of the classes. If not empty, every class in a mask must have a name.
  /// - Throws: `ModelError` if the layout is unknown or no image is valid.
  public init(at path: String, labels: [String] = []) throws(ModelError) {
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      guard FileKind(at: path) != nil else { throw ModelError(.input, .missingFile(path)) }
      guard let layout = MaskFolderLayout.layout(of: path) else {
        throw ModelError(
          .input, .wrongType(expected: Self.expectedLayouts, actual: "something else"))
      }
      items = try layout.pairs(in: path, &log).map { pair in
        let diagnostic = Self.diagnostic(for: pair, in: path)?.diagnostic(path: pair.maskPath)
        diagnostic.map { log.add($0) }
        return Item(pair: pair, error: diagnostic)
      }
      if items.allSatisfy({ $0.error != nil }) {
        log.addEmptyDataError()
        try log.throwIfAny()
      }
    } catch {
      throw error.in(file: path)
    }
    (self.path, self.labels) = (path, labels)
    (errors, warnings) = (log.reportedErrors, log.warnings)
    selection = Array(items.indices)
  }

  private static var expectedLayouts: String {
    MaskFolderLayout.all.map { "a folder with \($0.imageFolder) and \($0.maskFolder)" }
      .joined(separator: ", ")
  }

  private static func diagnostic(for pair: MaskPair, in path: String) -> DataDiagnostic? {
    do throws(DataDiagnostic) {
      let size = try ImageHeaderCheck.header(of: "\(path)/\(pair.imagePath)").uprightSize
      let header = try ImageHeaderCheck.header(of: "\(path)/\(pair.maskPath)")
      guard header.fileFormat == .png else { return .notAMask }
      let mask = ImageSize(width: header.width, height: header.height)
      return mask == size ? nil : .wrongMaskSize(mask: mask, image: size)
    } catch {
      return error
    }
  }
}

// MARK: Items

extension SegmentationDataset {
  /// The number of images.
  public var count: Int { selection.count }

  private func item(_ index: Int) -> Item { items[selection[index]] }

  /// Returns the path of an image relative to the folder.
  public func name(at index: Int) -> String { item(index).pair.imagePath }

  /// Returns the path of an image.
  public func imagePath(at index: Int) -> String { "\(path)/\(item(index).pair.imagePath)" }

  /// Returns `nil`, because the supported layouts do not assign splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns the error found in the headers of an image and its mask.
  public func error(at index: Int) -> Diagnostic? { item(index).error }

  /// Returns the classes in a mask, which is decoded on every call; none if decoding fails.
  public func labelIndices(at index: Int) -> [Int] {
    (try? mask(at: index))?.presentClasses ?? []
  }

  /// Reads the file of an image.
  public func imageBytes(at index: Int) throws(ModelError) -> [UInt8] {
    try throwIfInvalid(item: index)
    return try read(item(index).pair.imagePath, of: index)
  }

  /// Reads the mask of an image.
  public func mask(at index: Int) throws(ModelError) -> ClassMask {
    try throwIfInvalid(item: index)
    let bytes = try read(item(index).pair.maskPath, of: index)
    do throws(DataDiagnostic) {
      return try mask(of: bytes)
    } catch {
      let diagnostic = error.diagnostic(path: item(index).pair.maskPath)
      throw ModelError(.input, .invalidData([diagnostic]), file: path).at(item: index)
    }
  }

  private func mask(of bytes: [UInt8]) throws(DataDiagnostic) -> ClassMask {
    let image: IndexedImage
    do throws(ImageError) {
      image = try IndexedImage(decodingPNG: bytes)
    } catch {
      throw DataDiagnostic(error)
    }
    let mask = ClassMask(
      size: ImageSize(width: image.width, height: image.height), classes: image.indices)
    if !labels.isEmpty, let last = mask.presentClasses.last, last >= labels.count {
      throw .unknownClass(UInt8(clamping: last), count: labels.count)
    }
    return mask
  }

  private func read(_ name: String, of index: Int) throws(ModelError) -> [UInt8] {
    do throws(ModelError) {
      return try FileBytes.read("\(path)/\(name)", limit: ImageLimits.maxFileBytes, stage: .input)
    } catch {
      throw error.in(file: path).at(item: index)
    }
  }

  /// Returns the images at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> SegmentationDataset {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}

/// The class of every pixel of an image.
public struct ClassMask: Sendable, Hashable {
  /// The class of pixels that evaluation ignores.
  public static let ignoredClass: UInt8 = 255

  /// The size of the mask and of its image.
  package let size: ImageSize
  /// The label index of every pixel in row-major order, or ``ignoredClass``.
  public let classes: [UInt8]

  init(size: ImageSize, classes: [UInt8]) {
    (self.size, self.classes) = (size, classes)
  }

  /// The classes that occur in the mask, in ascending order.
  public var presentClasses: [Int] {
    var seen = [Bool](repeating: false, count: 256)
    for index in classes { seen[Int(index)] = true }
    return (0..<Int(Self.ignoredClass)).filter { seen[$0] }
  }
}
