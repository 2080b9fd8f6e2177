/// Objects found by a head before suppression, in coordinates of the model.
struct DetectionCandidates {
  /// One object.
  struct Candidate: Equatable {
    /// The row of the model's outputs.
    var row: Int
    /// The class.
    var index: Int
    var score: Float
    var box: BoundingBox
    /// The angle of the box around its center in radians, clockwise; `nil` for upright boxes.
    var angle: Double?
  }

  /// The objects, in the order of the outputs.
  private(set) var all: [Candidate] = []
  /// The keypoints of all objects: x and y of each.
  private var points: [Float] = []
  /// The number of keypoints of an object.
  private let pointCount: Int
  /// The number of rows with a score or corner that is not a finite number.
  var nonfiniteCount = 0

  init(pointCount: Int = 0) { self.pointCount = pointCount }

  /// Adds an object, or counts it if a number is not finite.
  mutating func append(_ candidate: Candidate, points newPoints: [Float] = []) {
    guard candidate.box.isFinite, candidate.score.isFinite, candidate.angle?.isFinite ?? true else {
      return nonfiniteCount += 1
    }
    all.append(candidate)
    points += newPoints
  }

  /// Returns x and y of each keypoint of the object at a position.
  func points(at position: Int) -> ArraySlice<Float> {
    points[position * pointCount * 2..<(position + 1) * pointCount * 2]
  }
}

extension BoundingBox {
  /// Creates a rectangle from the four numbers of a box.
  init(_ a: Float, _ b: Float, _ c: Float, _ d: Float, order: DetectionOptions.BoxOrder) {
    let (a, b, c, d) = (Double(a), Double(b), Double(c), Double(d))
    switch order {
    case .yxyx: self.init(xmin: b, ymin: a, xmax: d, ymax: c)
    case .xyxy: self.init(xmin: a, ymin: b, xmax: c, ymax: d)
    case .cxcywh: self.init(centerX: a, centerY: b, width: c, height: d)
    }
  }

  /// Creates a rectangle around a center.
  init(centerX: Double, centerY: Double, width: Double, height: Double) {
    self.init(
      xmin: centerX - width / 2, ymin: centerY - height / 2, xmax: centerX + width / 2,
      ymax: centerY + height / 2)
  }
}
