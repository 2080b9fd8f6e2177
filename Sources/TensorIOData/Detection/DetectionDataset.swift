public import TensorIOBundle
import TensorIOImage
import TensorIOJSON
import TensorIOSystem

/// Pictures with boxes around what is in them.
///
/// AutoML's tables, COCO's instances, folders of Pascal VOC's, and lines of JSON are read:
///
/// ```swift
/// let data = try DetectionDataset(at: "street/annotations.json", labels: bundleLabels)
/// for index in 0..<data.count {
///   print(data.name(at: index), try data.boxes(at: index).count)
/// }
/// ```
///
/// Opening it reads all annotations and the headers of all pictures. A box with a fault makes its
/// picture one that cannot be judged by: asking for it throws the ``problem(at:)``.
public struct DetectionDataset: IndexedDataset {
  /// The bytes that a file of annotations may have.
  public static let maxAnnotationBytes = JSONLimits.maxBytes

  /// Where the data lies.
  public let path: String
  /// What the indexes of labels mean: those given, else those of the data.
  public let labels: [String]
  /// What is wrong with the data and its pictures.
  public let errors: [Diagnostic]
  /// What was mended or left out, and why.
  public let warnings: [Diagnostic]

  private let images: [Entry]
  private var selection: [Int]

  private struct Entry: Sendable {
    let name: String
    let path: String
    let split: DatasetSplit?
    var size = ImageSize(width: 0, height: 0)
    var boxes: [AnnotatedBox] = []
    var error: Diagnostic?
  }

  /// Opens data, whose labels must be among those that are given, if any are.
  ///
  /// Of data with more labels than a model knows, `knownOnly` leaves out the other boxes, and a warning
  /// counts them. Throws when not a single picture is as it should be.
  public init(
    at path: String, labels: [String] = [], knownLabelsOnly: Bool = false
  ) throws(ModelError) {
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      var found = try DetectionFormats.format(of: path).read(path, &log)
      self.labels = labels.isEmpty ? found.labels : labels
      if knownLabelsOnly { found.removeUnknownLabels(keeping: self.labels, &log) }
      let resolver = BoxResolver(labels: self.labels)
      images = found.images.map { Self.entry($0, resolver, &log) }
      if images.allSatisfy({ $0.error != nil }) {
        log.addEmptyDataError()
        try log.throwIfAny()
      }
    } catch {
      throw error.in(file: path)
    }
    self.path = path
    (errors, warnings) = (log.reportedErrors, log.warnings)
    selection = Array(images.indices)
  }

  private static func entry(
    _ found: ParsedImage, _ resolver: BoxResolver, _ log: inout DataDiagnosticLog
  ) -> Entry {
    var picture = Entry(name: found.name, path: found.path, split: found.split)
    do throws(LocatedDiagnostic) {
      (picture.size, picture.boxes) = try resolver.resolve(found, &log)
    } catch {
      let problem = log.diagnostic(error.diagnostic, at: error.location, item: found.name)
      picture.error = problem
      log.add(problem)
    }
    return picture
  }
}

// MARK: Items

extension DetectionDataset {
  /// How many pictures there are.
  public var count: Int { selection.count }

  /// What the data calls a picture.
  public func name(at index: Int) -> String { images[selection[index]].name }

  /// Where a picture lies.
  public func imagePath(at index: Int) -> String { images[selection[index]].path }

  /// What the data sets a picture apart for.
  public func split(at index: Int) -> DatasetSplit? { images[selection[index]].split }

  /// What is wrong with a picture or its boxes.
  public func error(at index: Int) -> Diagnostic? { images[selection[index]].error }

  /// The labels that a picture's boxes have.
  public func labelIndices(at index: Int) -> [Int] {
    Set(images[selection[index]].boxes.map(\.labelIndex)).sorted()
  }

  /// The bytes of a picture's file.
  public func imageBytes(at index: Int) throws(ModelError) -> [UInt8] {
    try throwIfInvalid(item: index)
    do throws(ModelError) {
      return try FileBytes.read(
        imagePath(at: index), limit: ImageLimits.maxFileBytes, stage: .input)
    } catch {
      throw error.in(file: path).at(item: index)
    }
  }

  /// The boxes of a picture, in the order of the data.
  public func boxes(at index: Int) throws(ModelError) -> [AnnotatedBox] {
    try throwIfInvalid(item: index)
    return images[selection[index]].boxes
  }

  /// How large a picture is, upright.
  public func imageSize(at index: Int) throws(ModelError) -> ImageSize {
    try throwIfInvalid(item: index)
    return images[selection[index]].size
  }

  /// The pictures at some places, in that order.
  public func selecting(_ indexes: [Int]) -> DetectionDataset {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}

/// A box that somebody drew around something in a picture.
///
/// Its edges are in pixels of the upright picture, from its upper left corner.
public struct AnnotatedBox: Sendable, Hashable {
  /// What is in it, as an index of a label.
  public var labelIndex: Int
  /// Its left edge.
  public var xmin: Double
  /// Its upper edge.
  public var ymin: Double
  /// Its right edge.
  public var xmax: Double
  /// Its lower edge.
  public var ymax: Double
  /// Whether it holds many of a kind that nobody told apart.
  public var isCrowd: Bool
  /// Whether nobody is expected to find it.
  public var isDifficult: Bool
  /// How many pixels of it are the thing itself, where COCO tells, else all of them.
  public var area: Double

  /// A box by its edges.
  public init(
    labelIndex: Int, xmin: Double, ymin: Double, xmax: Double, ymax: Double, isCrowd: Bool = false,
    isDifficult: Bool = false, area: Double? = nil
  ) {
    self.labelIndex = labelIndex
    (self.xmin, self.ymin, self.xmax, self.ymax) = (xmin, ymin, xmax, ymax)
    (self.isCrowd, self.isDifficult) = (isCrowd, isDifficult)
    self.area = area ?? (xmax - xmin) * (ymax - ymin)
  }

  /// From its left to its right edge.
  public var width: Double { xmax - xmin }
  /// From its upper to its lower edge.
  public var height: Double { ymax - ymin }
}
