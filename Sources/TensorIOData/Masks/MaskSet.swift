public import TensorIOCore
internal import TensorIOImage
internal import TensorIOSystem

/// Pictures with masks that say what every pixel shows.
///
/// A folder has `images` and `masks` with equal names but for the endings, or `JPEGImages` and
/// `SegmentationClass` as Pascal VOC has them. Masks are PNGs whose pixels are indexes of labels:
/// those of a palette, or gray values as they are stored.
///
/// ```swift
/// let data = try MaskSet(at: "birds", labels: bundleLabels)
/// let mask = try data.mask(at: 0)
/// print(mask.size, mask.occurring.map { data.labels[$0] })
/// ```
public struct MaskSet: DataItems {
  /// Where the data lies.
  public let path: String
  /// What the classes mean; none where none were given.
  public let labels: [String]
  /// What is wrong with the data and its pictures.
  public let problems: [Problem]
  /// What was left out, and why.
  public let warnings: [Problem]

  private let items: [Item]
  private var places: [Int]

  private struct Item: Sendable {
    let pair: MaskPair
    let problem: Problem?
  }

  /// Opens data, whose classes must be indexes of the labels, if any are given.
  ///
  /// Throws when not a single picture is as it should be.
  public init(at path: String, labels: [String] = []) throws(ModelError) {
    var log = DataLog()
    do throws(ModelError) {
      guard FileKind(at: path) != nil else { throw ModelError(.input, .missingFile(path)) }
      guard let layout = MaskLayout.layout(of: path) else {
        throw ModelError(.input, .wrongType(expected: Self.folders, actual: "something else"))
      }
      items = try layout.pairs(in: path, &log).map { pair in
        let problem = Self.fault(of: pair, in: path)?.at(path: pair.mask)
        problem.map { log.add($0) }
        return Item(pair: pair, problem: problem)
      }
      if items.allSatisfy({ $0.problem != nil }) {
        log.addEmptiness()
        try log.check()
      }
    } catch {
      throw error.in(file: path)
    }
    (self.path, self.labels) = (path, labels)
    (problems, warnings) = (log.problems, log.warnings)
    places = Array(items.indices)
  }

  private static var folders: String {
    MaskLayout.all.map { "a folder with \($0.pictures) and \($0.masks)" }
      .joined(separator: ", ")
  }

  private static func fault(of pair: MaskPair, in path: String) -> DataFault? {
    do throws(DataFault) {
      let size = try PictureCheck.header(of: "\(path)/\(pair.picture)").uprightSize
      let header = try PictureCheck.header(of: "\(path)/\(pair.mask)")
      guard header.fileFormat == .png else { return .notAMask }
      let mask = PictureSize(width: header.width, height: header.height)
      return mask == size ? nil : .wrongMaskSize(mask: mask, picture: size)
    } catch {
      return error
    }
  }
}

// MARK: Items

extension MaskSet {
  /// How many pictures there are.
  public var count: Int { places.count }

  private func item(_ index: Int) -> Item { items[places[index]] }

  /// A picture's place in the folder.
  public func name(at index: Int) -> String { item(index).pair.picture }

  /// Where a picture lies.
  public func picturePath(at index: Int) -> String { "\(path)/\(item(index).pair.picture)" }

  /// Masks are set apart for nothing.
  public func part(at index: Int) -> DataPart? { nil }

  /// What is wrong with a picture or its mask, as far as their headers tell.
  public func problem(at index: Int) -> Problem? { item(index).problem }

  /// The classes that a mask has, which has to be decoded for it; none when it cannot be.
  public func labelIndexes(at index: Int) -> [Int] {
    (try? mask(at: index))?.occurring ?? []
  }

  /// The bytes of a picture's file.
  public func picture(at index: Int) throws(ModelError) -> [UInt8] {
    try check(item: index)
    return try read(item(index).pair.picture, of: index)
  }

  /// The mask of a picture.
  public func mask(at index: Int) throws(ModelError) -> ClassMask {
    try check(item: index)
    let bytes = try read(item(index).pair.mask, of: index)
    do throws(DataFault) {
      return try mask(of: bytes)
    } catch {
      let problem = error.at(path: item(index).pair.mask)
      throw ModelError(.input, .invalidData([problem]), file: path).at(item: index)
    }
  }

  private func mask(of bytes: [UInt8]) throws(DataFault) -> ClassMask {
    let indexes: ImageIndexes
    do throws(ImageError) {
      indexes = try ImageIndexes(ofPNG: bytes)
    } catch {
      throw DataFault(error)
    }
    let mask = ClassMask(
      size: PictureSize(width: indexes.width, height: indexes.height), classes: indexes.values)
    if !labels.isEmpty, let stray = mask.occurring.last, stray >= labels.count {
      throw .unknownClass(UInt8(clamping: stray), count: labels.count)
    }
    return mask
  }

  private func read(_ name: String, of index: Int) throws(ModelError) -> [UInt8] {
    do throws(ModelError) {
      return try FileBytes.read("\(path)/\(name)", limit: ImageLimits.fileBytes, stage: .input)
    } catch {
      throw error.in(file: path).at(item: index)
    }
  }

  /// The pictures at some places, in that order.
  public func selecting(_ indexes: [Int]) -> MaskSet {
    var selection = self
    selection.places = indexes.map { places[$0] }
    return selection
  }
}
