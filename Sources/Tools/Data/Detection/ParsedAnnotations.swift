/// An image with its boxes as read from an annotation file, before the image is opened.
struct ParsedImage: Sendable {
  let name: String
  /// The path of the image.
  let path: String
  let location: DataLocation
  /// The size that the annotation file declares.
  var declaredSize: ImageSize?
  var split: DatasetSplit?
  var boxes: [ParsedBox] = []
  /// The first error in the annotation.
  var error: LocatedDiagnostic?

  init(name: String, path: String, location: DataLocation) {
    (self.name, self.path, self.location) = (name, path, location)
  }
}

/// A box as read from an annotation file.
struct ParsedBox: Sendable {
  /// The unit of the coordinates.
  enum Unit: Sendable { case pixels, normalized }

  let label: String
  let edges: BoxEdges
  var unit = Unit.pixels
  var isCrowd = false
  var isDifficult = false
  var area: Double?
  /// The keypoints of the object; `nil` if the annotation has none.
  var keypoints: [AnnotatedKeypoint]?
  /// The pixels of the object; `nil` if the annotation has none.
  var outline: AnnotatedOutline?
  /// Why the pixels cannot be read.
  var outlineDiagnostic: LocatedDiagnostic?
  let location: DataLocation
}

/// The edges of a box.
struct BoxEdges: Sendable, Equatable {
  var xmin: Double
  var ymin: Double
  var xmax: Double
  var ymax: Double
}

/// The contents of an annotation file.
struct ParsedAnnotations: Sendable {
  /// The labels that the file lists, or those of its boxes.
  var labels: [String] = []
  var images: [ParsedImage] = []

  init(labels: [String] = [], _ images: [ParsedImage] = []) {
    (self.labels, self.images) = (labels, images)
  }

  /// Creates annotations whose labels are those of the boxes, in byte order.
  init(collectingLabelsFrom images: [ParsedImage]) {
    let labels = Set(images.lazy.flatMap { $0.boxes.lazy.map(\.label) })
    self.init(
      labels: labels.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, images)
  }
}

extension ParsedAnnotations {
  /// Removes boxes with other labels, and logs a warning with their number.
  mutating func removeUnknownLabels(keeping labels: [String], _ log: inout DataDiagnosticLog) {
    let known = Set(labels)
    var skipped: [String] = []
    for index in images.indices {
      skipped += images[index].boxes.map(\.label).filter { !known.contains($0) }
      images[index].boxes.removeAll { !known.contains($0.label) }
    }
    guard !skipped.isEmpty else { return }
    log.add(.unknownLabelsSkipped(skipped.count, of: Set(skipped).sorted()), path: "")
  }
}

/// Converts parsed boxes to pixels of the upright image and label indices, and validates them.
struct BoxResolver {
  /// The maximum overhang, in pixels, of a box that is clipped rather than rejected.
  static let tolerance = 1.0
  /// The rounding error of scaled coordinates, in pixels, that does not count as overhang.
  private static let rounding = 1e-6

  let labels: [String]
  private let labelIndices: [String: Int]

  init(labels: [String]) {
    self.labels = labels
    labelIndices = Dictionary(
      labels.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the size and the boxes of an image.
  func resolve(
    _ image: ParsedImage, _ log: inout DataDiagnosticLog
  ) throws(LocatedDiagnostic) -> (size: ImageSize, boxes: [AnnotatedBox]) {
    if let error = image.error { throw error }
    let size = try size(of: image)
    var boxes: [AnnotatedBox] = []
    for box in image.boxes {
      do throws(DataDiagnostic) {
        boxes.append(try resolve(box, in: size, &log))
      } catch {
        throw LocatedDiagnostic(error, at: box.location)
      }
    }
    return (size, boxes)
  }

  private func size(of image: ParsedImage) throws(LocatedDiagnostic) -> ImageSize {
    do throws(DataDiagnostic) {
      let size = try ImageHeaderCheck.header(of: image.path).uprightSize
      guard let declared = image.declaredSize, declared != size else { return size }
      throw .sizeMismatch(declared: declared, actual: size)
    } catch {
      throw LocatedDiagnostic(error, at: image.location)
    }
  }

  private func resolve(
    _ box: ParsedBox, in size: ImageSize, _ log: inout DataDiagnosticLog
  ) throws(DataDiagnostic) -> AnnotatedBox {
    guard let labelIndex = labelIndices[box.label] else {
      throw .unknownLabel(box.label, among: labels)
    }
    let edges = box.edges.scaled(to: box.unit == .normalized ? size : nil)
    guard edges.isFinite else { throw .notFinite(edges.firstNonFinite) }
    guard edges.xmax >= edges.xmin, edges.ymax >= edges.ymin else { throw .invertedBox(edges) }
    if let area = box.area, area < 0 { throw .negativeArea(area) }
    let overhang = edges.overhang(over: size)
    guard overhang <= Self.tolerance else { throw .boxOutOfBounds(edges, size) }
    let clipped = edges.clipped(to: size)
    guard clipped.xmax > clipped.xmin, clipped.ymax > clipped.ymin else { throw .emptyBox(edges) }
    if let diagnostic = box.outlineDiagnostic {
      log.add(.invalidSegmentation, at: diagnostic.location)
    }
    if overhang > Self.rounding { log.add(.clippedBox(edges, size), at: box.location) }
    var annotated = AnnotatedBox(
      labelIndex: labelIndex, xmin: clipped.xmin, ymin: clipped.ymin, xmax: clipped.xmax,
      ymax: clipped.ymax, isCrowd: box.isCrowd, isDifficult: box.isDifficult, area: box.area)
    annotated.keypoints = box.keypoints
    annotated.outline = box.outline
    return annotated
  }
}

extension BoxEdges {
  var isFinite: Bool { all.allSatisfy(\.isFinite) }

  /// The first edge that is not finite.
  var firstNonFinite: Double { all.first { !$0.isFinite } ?? 0 }

  private var all: [Double] { [xmin, ymin, xmax, ymax] }

  /// Returns normalized edges in pixels of an image of a size; unchanged if `size` is `nil`.
  func scaled(to size: ImageSize?) -> BoxEdges {
    guard let size else { return self }
    let (width, height) = (Double(size.width), Double(size.height))
    return BoxEdges(
      xmin: xmin * width, ymin: ymin * height, xmax: xmax * width, ymax: ymax * height)
  }

  /// Returns how far the box exceeds an image, in pixels.
  func overhang(over size: ImageSize) -> Double {
    max(-xmin, -ymin, xmax - Double(size.width), ymax - Double(size.height))
  }

  func clipped(to size: ImageSize) -> BoxEdges {
    BoxEdges(
      xmin: max(0, xmin), ymin: max(0, ymin), xmax: min(xmax, Double(size.width)),
      ymax: min(ymax, Double(size.height)))
  }

  /// The edges as text, for messages.
  var summary: String {
    "x \(xmin.shortestText) to \(xmax.shortestText), y \(ymin.shortestText) to \(ymax.shortestText)"
  }
}
