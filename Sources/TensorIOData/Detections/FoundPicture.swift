internal import TensorIOCore

/// A picture with its boxes as a file tells of them, before anybody has looked at the picture.
struct FoundPicture: Sendable {
  let name: String
  /// Where the picture lies.
  let path: String
  let place: DataPlace
  /// The size that the file says it has.
  var size: PictureSize?
  var part: DataPart?
  var boxes: [FoundBox] = []
  /// What is wrong with what the file says.
  var fault: PlacedFault?

  init(name: String, path: String, at place: DataPlace) {
    (self.name, self.path, self.place) = (name, path, place)
  }
}

/// A box as a file tells of it.
struct FoundBox: Sendable {
  /// What the numbers count.
  enum Unit: Sendable { case pixels, fractions }

  let label: String
  let edges: BoxEdges
  var unit = Unit.pixels
  var isCrowd = false
  var isDifficult = false
  var area: Double?
  let place: DataPlace
}

/// The edges of a box.
struct BoxEdges: Sendable, Equatable {
  var xmin: Double
  var ymin: Double
  var xmax: Double
  var ymax: Double
}

/// All that a file tells of.
struct FoundPictures: Sendable {
  /// The labels that the file lists, or that its boxes have.
  var labels: [String] = []
  var pictures: [FoundPicture] = []

  init(labels: [String] = [], _ pictures: [FoundPicture] = []) {
    (self.labels, self.pictures) = (labels, pictures)
  }

  /// Pictures whose labels are those of their boxes, in byte order.
  init(labelledByBoxes pictures: [FoundPicture]) {
    let labels = Set(pictures.lazy.flatMap { $0.boxes.lazy.map(\.label) })
    self.init(
      labels: labels.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, pictures)
  }
}

extension FoundPictures {
  /// Leaves out the boxes whose labels are not among those that are known, and counts them.
  mutating func leaveOutUnknown(among labels: [String], _ log: inout DataLog) {
    let known = Set(labels)
    var leftOut: [String] = []
    for index in pictures.indices {
      leftOut += pictures[index].boxes.map(\.label).filter { !known.contains($0) }
      pictures[index].boxes.removeAll { !known.contains($0.label) }
    }
    guard !leftOut.isEmpty else { return }
    log.add(.leftOut(leftOut.count, of: Set(leftOut).sorted()), path: "")
  }
}
