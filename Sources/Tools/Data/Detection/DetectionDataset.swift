public import TensorIOBundle
import TensorIOImage
import TensorIOJSON
import TensorIOSystem

/// Images with annotated boxes, read from AutoML, COCO, Pascal VOC or NDJSON.
///
/// ```swift
/// import TensorIOData
///
/// let data = try DetectionDataset(at: "street/annotations.json", labels: ["car", "bike"])
/// for index in 0..<data.count {
///   print(data.name(at: index), try data.boxes(at: index).count)
/// }
/// ```
///
/// Opening it reads all annotations and the headers of all images. An invalid box makes its image
/// invalid: accessing that image throws ``error(at:)``.
public struct DetectionDataset: IndexedDataset {
  /// The maximum size of an annotation file, in bytes.
  public static let maxAnnotationBytes = JSONLimits.maxBytes

  /// The path of the file or folder.
  public let path: String
  /// The label names by index: the labels passed to the initializer, or those of the dataset.
  public let labels: [String]
  /// The errors of the dataset and of its images.
  public let errors: [Diagnostic]
  /// What was corrected or skipped while reading.
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

  /// Opens a dataset.
  ///
  /// - Parameters:
  ///   - path: The annotation file or the folder of the dataset.
  ///   - labels: The labels that boxes may have. If empty, the labels of the dataset are used.
  ///   - knownLabelsOnly: Whether to skip boxes whose label is not in `labels`; a warning counts
  ///     them. By default such a box is an error.
  /// - Throws: `ModelError` if the format is unknown or no image is valid.
  public init(
    at path: String, labels: [String] = [], knownLabelsOnly: Bool = false
  ) throws(ModelError) {
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      var annotations = try DetectionFormats.format(of: path).read(path, &log)
      self.labels = labels.isEmpty ? annotations.labels : labels
      if knownLabelsOnly { annotations.removeUnknownLabels(keeping: self.labels, &log) }
      let resolver = BoxResolver(labels: self.labels)
      images = annotations.images.map { Self.entry($0, resolver, &log) }
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
    _ parsed: ParsedImage, _ resolver: BoxResolver, _ log: inout DataDiagnosticLog
  ) -> Entry {
    var entry = Entry(name: parsed.name, path: parsed.path, split: parsed.split)
    do throws(LocatedDiagnostic) {
      (entry.size, entry.boxes) = try resolver.resolve(parsed, &log)
    } catch {
      let diagnostic = log.diagnostic(error.diagnostic, at: error.location, item: parsed.name)
      entry.error = diagnostic
      log.add(diagnostic)
    }
    return entry
  }
}

// MARK: Items

extension DetectionDataset {
  /// The number of images.
  public var count: Int { selection.count }

  /// Returns the name of an image in the dataset.
  public func name(at index: Int) -> String { images[selection[index]].name }

  /// Returns the path of an image.
  public func imagePath(at index: Int) -> String { images[selection[index]].path }

  /// Returns the split that the dataset assigns an image to.
  public func split(at index: Int) -> DatasetSplit? { images[selection[index]].split }

  /// Returns the error of an image or of its boxes.
  public func error(at index: Int) -> Diagnostic? { images[selection[index]].error }

  /// Returns the label indices of an image's boxes, without duplicates, in ascending order.
  public func labelIndices(at index: Int) -> [Int] {
    Set(images[selection[index]].boxes.map(\.labelIndex)).sorted()
  }

  /// Reads the file of an image.
  public func imageBytes(at index: Int) throws(ModelError) -> [UInt8] {
    try throwIfInvalid(item: index)
    do throws(ModelError) {
      return try FileBytes.read(
        imagePath(at: index), limit: ImageLimits.maxFileBytes, stage: .input)
    } catch {
      throw error.in(file: path).at(item: index)
    }
  }

  /// Returns the boxes of an image, in the order of the dataset.
  public func boxes(at index: Int) throws(ModelError) -> [AnnotatedBox] {
    try throwIfInvalid(item: index)
    return images[selection[index]].boxes
  }

  /// Whether any box has keypoints.
  package var hasKeypoints: Bool {
    images.contains { $0.boxes.contains { $0.keypoints != nil } }
  }

  /// Whether every box has an outline, and there is one.
  package var hasOutlines: Bool {
    let boxes = images.lazy.flatMap(\.boxes)
    return !boxes.isEmpty && boxes.allSatisfy { $0.outline != nil }
  }

  /// Returns the size of an upright image.
  package func imageSize(at index: Int) throws(ModelError) -> ImageSize {
    try throwIfInvalid(item: index)
    return images[selection[index]].size
  }

  /// Returns the images at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> DetectionDataset {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}

/// A ground-truth box.
///
/// The edges are in pixels of the upright image, measured from its upper left corner.
public struct AnnotatedBox: Sendable, Hashable {
  /// The index of the label.
  public var labelIndex: Int
  /// The left edge.
  public var xmin: Double
  /// The upper edge.
  public var ymin: Double
  /// The right edge.
  public var xmax: Double
  /// The lower edge.
  public var ymax: Double
  /// Whether the box covers a group of objects that are not annotated separately.
  public var isCrowd: Bool
  /// Whether the object is marked as difficult, so that missing it is not counted.
  public var isDifficult: Bool
  /// The area of the object in pixels, from the COCO `area` if there is one, otherwise of the box.
  public var area: Double
  /// The keypoints of the object; `nil` if the annotation has none.
  package var keypoints: [AnnotatedKeypoint]?
  /// The pixels of the object; `nil` if the annotation has only a box.
  package var outline: AnnotatedOutline?

  /// Creates a box from its edges.
  public init(
    labelIndex: Int, xmin: Double, ymin: Double, xmax: Double, ymax: Double, isCrowd: Bool = false,
    isDifficult: Bool = false, area: Double? = nil
  ) {
    self.labelIndex = labelIndex
    (self.xmin, self.ymin, self.xmax, self.ymax) = (xmin, ymin, xmax, ymax)
    (self.isCrowd, self.isDifficult) = (isCrowd, isDifficult)
    self.area = area ?? (xmax - xmin) * (ymax - ymin)
  }

  /// The distance between the left and the right edge.
  public var width: Double { xmax - xmin }
  /// The distance between the upper and the lower edge.
  public var height: Double { ymax - ymin }
}
