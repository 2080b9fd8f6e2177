public import TensorIOBundle
import TensorIOImage
import TensorIOSystem

/// Pictures with masks that say what every pixel shows.
///
/// A folder has `images` and `masks` with equal names but for the endings, or `JPEGImages` and
/// `SegmentationClass` as Pascal VOC has them. Masks are PNGs whose pixels are indexes of labels:
/// those of a palette, or gray values as they are stored.
///
/// ```swift
/// let data = try SegmentationDataset(at: "birds", labels: bundleLabels)
/// let mask = try data.mask(at: 0)
/// print(mask.size, mask.occurring.map { data.labels[$0] })
/// ```
public struct SegmentationDataset: IndexedDataset {
  /// Where the data lies.
  public let path: String
  /// What the classes mean; none where none were given.
  public let labels: [String]
  /// What is wrong with the data and its pictures.
  public let errors: [Diagnostic]
  /// What was left out, and why.
  public let warnings: [Diagnostic]

  private let items: [Item]
  private var selection: [Int]

  private struct Item: Sendable {
    let pair: MaskPair
    let error: Diagnostic?
  }

  /// Opens data, whose classes must be indexes of the labels, if any are given.
  ///
  /// Throws when not a single picture is as it should be.
  public init(at path: String, labels: [String] = []) throws(ModelError) {
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      guard FileKind(at: path) != nil else { throw ModelError(.input, .missingFile(path)) }
      guard let layout = MaskFolderLayout.layout(of: path) else {
        throw ModelError(.input, .wrongType(expected: Self.expectedLayouts, actual: "something else"))
      }
      items = try layout.pairs(in: path, &log).map { pair in
        let problem = Self.diagnostic(for: pair, in: path)?.diagnostic(path: pair.maskPath)
        problem.map { log.add($0) }
        return Item(pair: pair, error: problem)
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
      return mask == size ? nil : .wrongMaskSize(mask: mask, picture: size)
    } catch {
      return error
    }
  }
}

// MARK: Items

extension SegmentationDataset {
  /// How many pictures there are.
  public var count: Int { selection.count }

  private func item(_ index: Int) -> Item { items[selection[index]] }

  /// A picture's place in the folder.
  public func name(at index: Int) -> String { item(index).pair.imagePath }

  /// Where a picture lies.
  public func imagePath(at index: Int) -> String { "\(path)/\(item(index).pair.imagePath)" }

  /// Masks are set apart for nothing.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// What is wrong with a picture or its mask, as far as their headers tell.
  public func error(at index: Int) -> Diagnostic? { item(index).error }

  /// The classes that a mask has, which has to be decoded for it; none when it cannot be.
  public func labelIndices(at index: Int) -> [Int] {
    (try? mask(at: index))?.presentClasses ?? []
  }

  /// The bytes of a picture's file.
  public func imageBytes(at index: Int) throws(ModelError) -> [UInt8] {
    try throwIfInvalid(item: index)
    return try read(item(index).pair.imagePath, of: index)
  }

  /// The mask of a picture.
  public func mask(at index: Int) throws(ModelError) -> ClassMask {
    try throwIfInvalid(item: index)
    let bytes = try read(item(index).pair.maskPath, of: index)
    do throws(DataDiagnostic) {
      return try mask(of: bytes)
    } catch {
      let problem = error.diagnostic(path: item(index).pair.maskPath)
      throw ModelError(.input, .invalidData([problem]), file: path).at(item: index)
    }
  }

  private func mask(of bytes: [UInt8]) throws(DataDiagnostic) -> ClassMask {
    let indexes: IndexedImage
    do throws(ImageError) {
      indexes = try IndexedImage(decodingPNG: bytes)
    } catch {
      throw DataDiagnostic(error)
    }
    let mask = ClassMask(
      size: ImageSize(width: indexes.width, height: indexes.height), classes: indexes.indices)
    if !labels.isEmpty, let stray = mask.presentClasses.last, stray >= labels.count {
      throw .unknownClass(UInt8(clamping: stray), count: labels.count)
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

  /// The pictures at some places, in that order.
  public func selecting(_ indexes: [Int]) -> SegmentationDataset {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}

/// What every pixel of a picture shows.
public struct ClassMask: Sendable, Hashable {
  /// The class of pixels that nobody judges by.
  public static let ignoredClass: UInt8 = 255

  /// How large the mask and its picture are.
  public let size: ImageSize
  /// The index of a label for every pixel, row by row, or ``ignored``.
  public let classes: [UInt8]

  init(size: ImageSize, classes: [UInt8]) {
    (self.size, self.classes) = (size, classes)
  }

  /// The classes that occur, in ascending order.
  public var presentClasses: [Int] {
    var seen = [Bool](repeating: false, count: 256)
    for index in classes { seen[Int(index)] = true }
    return (0..<Int(Self.ignoredClass)).filter { seen[$0] }
  }
}
