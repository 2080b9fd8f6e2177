internal import TensorIOCore

/// Makes boxes of what a file tells: in pixels of the picture, and with known labels.
struct BoxResolver {
  /// A box that sticks out of its picture by so many pixels is clipped.
  static let tolerance = 1.0
  /// What arithmetic on fractions may add to an edge, in pixels.
  private static let rounding = 1e-6

  let labels: [String]
  private let indexes: [String: Int]

  init(labels: [String]) {
    self.labels = labels
    indexes = Dictionary(
      labels.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The picture's size and boxes.
  func resolve(
    _ picture: FoundPicture, _ log: inout DataLog
  ) throws(PlacedFault) -> (size: PictureSize, boxes: [AnnotatedBox]) {
    if let fault = picture.fault { throw fault }
    let size = try size(of: picture)
    var boxes: [AnnotatedBox] = []
    for box in picture.boxes {
      do throws(DataFault) {
        boxes.append(try resolve(box, in: size, &log))
      } catch {
        throw PlacedFault(error, at: box.place)
      }
    }
    return (size, boxes)
  }

  private func size(of picture: FoundPicture) throws(PlacedFault) -> PictureSize {
    do throws(DataFault) {
      let size = try PictureCheck.header(of: picture.path).uprightSize
      guard let told = picture.size, told != size else { return size }
      throw .wrongSize(told: told, found: size)
    } catch {
      throw PlacedFault(error, at: picture.place)
    }
  }

  private func resolve(
    _ box: FoundBox, in size: PictureSize, _ log: inout DataLog
  ) throws(DataFault) -> AnnotatedBox {
    guard let label = indexes[box.label] else { throw .unknownLabel(box.label, among: labels) }
    let edges = box.edges.scaled(box.unit == .fractions ? size : nil)
    guard edges.isFinite else { throw .notFinite(edges.strangest) }
    guard edges.xmax >= edges.xmin, edges.ymax >= edges.ymin else { throw .reversedBox(edges) }
    if let area = box.area, area < 0 { throw .negativeArea(area) }
    let overhang = edges.overhang(over: size)
    guard overhang <= Self.tolerance else { throw .boxOutside(edges, size) }
    let inside = edges.clipped(to: size)
    guard inside.xmax > inside.xmin, inside.ymax > inside.ymin else { throw .emptyBox(edges) }
    if overhang > Self.rounding { log.add(.clippedBox(edges, size), at: box.place) }
    return AnnotatedBox(
      label: label, xmin: inside.xmin, ymin: inside.ymin, xmax: inside.xmax, ymax: inside.ymax,
      isCrowd: box.isCrowd, isDifficult: box.isDifficult, area: box.area)
  }
}

extension BoxEdges {
  var isFinite: Bool { all.allSatisfy(\.isFinite) }

  /// The first number that is not finite.
  var strangest: Double { all.first { !$0.isFinite } ?? 0 }

  private var all: [Double] { [xmin, ymin, xmax, ymax] }

  /// The edges in pixels of a picture whose sides they were fractions of.
  func scaled(_ size: PictureSize?) -> BoxEdges {
    guard let size else { return self }
    let (width, height) = (Double(size.width), Double(size.height))
    return BoxEdges(
      xmin: xmin * width, ymin: ymin * height, xmax: xmax * width, ymax: ymax * height)
  }

  /// By how many pixels they stick out.
  func overhang(over size: PictureSize) -> Double {
    max(-xmin, -ymin, xmax - Double(size.width), ymax - Double(size.height))
  }

  func clipped(to size: PictureSize) -> BoxEdges {
    BoxEdges(
      xmin: max(0, xmin), ymin: max(0, ymin), xmax: min(xmax, Double(size.width)),
      ymax: min(ymax, Double(size.height)))
  }

  /// The edges in a few words.
  var summary: String {
    "x \(xmin.shortest) to \(xmax.shortest), y \(ymin.shortest) to \(ymax.shortest)"
  }
}
