/// A picture with its boxes as a file tells of them, before anybody has looked at the picture.
struct ParsedImage: Sendable {
  let name: String
  /// Where the picture lies.
  let path: String
  let location: DataLocation
  /// The size that the file says it has.
  var declaredSize: ImageSize?
  var split: DatasetSplit?
  var boxes: [ParsedBox] = []
  /// What is wrong with what the file says.
  var error: LocatedDiagnostic?

  init(name: String, path: String, location place: DataLocation) {
    (self.name, self.path, self.location) = (name, path, place)
  }
}

/// A box as a file tells of it.
struct ParsedBox: Sendable {
  /// What the numbers count.
  enum Unit: Sendable { case pixels, normalized }

  let label: String
  let edges: BoxEdges
  var unit = Unit.pixels
  var isCrowd = false
  var isDifficult = false
  var area: Double?
  let location: DataLocation
}

/// The edges of a box.
struct BoxEdges: Sendable, Equatable {
  var xmin: Double
  var ymin: Double
  var xmax: Double
  var ymax: Double
}

/// All that a file tells of.
struct ParsedAnnotations: Sendable {
  /// The labels that the file lists, or that its boxes have.
  var labels: [String] = []
  var images: [ParsedImage] = []

  init(labels: [String] = [], _ pictures: [ParsedImage] = []) {
    (self.labels, self.images) = (labels, pictures)
  }

  /// Pictures whose labels are those of their boxes, in byte order.
  init(collectingLabelsFrom pictures: [ParsedImage]) {
    let labels = Set(pictures.lazy.flatMap { $0.boxes.lazy.map(\.label) })
    self.init(
      labels: labels.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, pictures)
  }
}

extension ParsedAnnotations {
  /// Leaves out the boxes whose labels are not among those that are known, and counts them.
  mutating func removeUnknownLabels(keeping labels: [String], _ log: inout DataDiagnosticLog) {
    let known = Set(labels)
    var leftOut: [String] = []
    for index in images.indices {
      leftOut += images[index].boxes.map(\.label).filter { !known.contains($0) }
      images[index].boxes.removeAll { !known.contains($0.label) }
    }
    guard !leftOut.isEmpty else { return }
    log.add(.unknownLabelsSkipped(leftOut.count, of: Set(leftOut).sorted()), path: "")
  }
}

/// Makes boxes of what a file tells: in pixels of the picture, and with known labels.
struct BoxResolver {
  /// A box that sticks out of its picture by so many pixels is clipped.
  static let tolerance = 1.0
  /// What arithmetic on fractions may add to an edge, in pixels.
  private static let rounding = 1e-6

  let labels: [String]
  private let labelIndices: [String: Int]

  init(labels: [String]) {
    self.labels = labels
    labelIndices = Dictionary(
      labels.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The picture's size and boxes.
  func resolve(
    _ picture: ParsedImage, _ log: inout DataDiagnosticLog
  ) throws(LocatedDiagnostic) -> (size: ImageSize, boxes: [AnnotatedBox]) {
    if let fault = picture.error { throw fault }
    let size = try size(of: picture)
    var boxes: [AnnotatedBox] = []
    for box in picture.boxes {
      do throws(DataDiagnostic) {
        boxes.append(try resolve(box, in: size, &log))
      } catch {
        throw LocatedDiagnostic(error, at: box.location)
      }
    }
    return (size, boxes)
  }

  private func size(of picture: ParsedImage) throws(LocatedDiagnostic) -> ImageSize {
    do throws(DataDiagnostic) {
      let size = try ImageHeaderCheck.header(of: picture.path).uprightSize
      guard let told = picture.declaredSize, told != size else { return size }
      throw .sizeMismatch(declared: told, actual: size)
    } catch {
      throw LocatedDiagnostic(error, at: picture.location)
    }
  }

  private func resolve(
    _ box: ParsedBox, in size: ImageSize, _ log: inout DataDiagnosticLog
  ) throws(DataDiagnostic) -> AnnotatedBox {
    guard let label = labelIndices[box.label] else { throw .unknownLabel(box.label, among: labels) }
    let edges = box.edges.scaled(to: box.unit == .normalized ? size : nil)
    guard edges.isFinite else { throw .notFinite(edges.firstNonFinite) }
    guard edges.xmax >= edges.xmin, edges.ymax >= edges.ymin else { throw .invertedBox(edges) }
    if let area = box.area, area < 0 { throw .negativeArea(area) }
    let overhang = edges.overhang(over: size)
    guard overhang <= Self.tolerance else { throw .boxOutOfBounds(edges, size) }
    let inside = edges.clipped(to: size)
    guard inside.xmax > inside.xmin, inside.ymax > inside.ymin else { throw .emptyBox(edges) }
    if overhang > Self.rounding { log.add(.clippedBox(edges, size), at: box.location) }
    return AnnotatedBox(
      labelIndex: label, xmin: inside.xmin, ymin: inside.ymin, xmax: inside.xmax, ymax: inside.ymax,
      isCrowd: box.isCrowd, isDifficult: box.isDifficult, area: box.area)
  }
}

extension BoxEdges {
  var isFinite: Bool { all.allSatisfy(\.isFinite) }

  /// The first number that is not finite.
  var firstNonFinite: Double { all.first { !$0.isFinite } ?? 0 }

  private var all: [Double] { [xmin, ymin, xmax, ymax] }

  /// The edges in pixels of a picture whose sides they were fractions of.
  func scaled(to size: ImageSize?) -> BoxEdges {
    guard let size else { return self }
    let (width, height) = (Double(size.width), Double(size.height))
    return BoxEdges(
      xmin: xmin * width, ymin: ymin * height, xmax: xmax * width, ymax: ymax * height)
  }

  /// By how many pixels they stick out.
  func overhang(over size: ImageSize) -> Double {
    max(-xmin, -ymin, xmax - Double(size.width), ymax - Double(size.height))
  }

  func clipped(to size: ImageSize) -> BoxEdges {
    BoxEdges(
      xmin: max(0, xmin), ymin: max(0, ymin), xmax: min(xmax, Double(size.width)),
      ymax: min(ymax, Double(size.height)))
  }

  /// The edges in a few words.
  var summary: String {
    "x \(xmin.shortestText) to \(xmax.shortestText), y \(ymin.shortestText) to \(ymax.shortestText)"
  }
}
