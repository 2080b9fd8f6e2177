public import TensorIOImage

/// An upright rectangle of a picture, in pixels from its upper left corner.
public struct BoundingBox: Sendable, Hashable {
  /// Its left edge.
  public var xmin: Double
  /// Its upper edge.
  public var ymin: Double
  /// Its right edge.
  public var xmax: Double
  /// Its lower edge.
  public var ymax: Double

  /// A rectangle by its edges.
  public init(xmin: Double, ymin: Double, xmax: Double, ymax: Double) {
    (self.xmin, self.ymin, self.xmax, self.ymax) = (xmin, ymin, xmax, ymax)
  }

  /// From its left to its right edge; 0 for one that is turned inside out.
  public var width: Double { max(0, xmax - xmin) }
  /// From its upper to its lower edge; 0 for one that is turned inside out.
  public var height: Double { max(0, ymax - ymin) }
  /// How many pixels it covers.
  public var area: Double { width * height }

  /// What two rectangles have in common; without area where they have nothing.
  public func intersection(_ other: BoundingBox) -> BoundingBox {
    BoundingBox(
      xmin: max(xmin, other.xmin), ymin: max(ymin, other.ymin), xmax: min(xmax, other.xmax),
      ymax: min(ymax, other.ymax))
  }

  /// How much of what two rectangles cover together they have in common: from 0, nothing, to 1,
  /// everything.
  public func intersectionOverUnion(_ other: BoundingBox) -> Double {
    let common = intersection(other).area
    let whole = area + other.area - common
    return whole > 0 ? common / whole : 0
  }

  var isFinite: Bool {
    xmin.isFinite && ymin.isFinite && xmax.isFinite && ymax.isFinite
  }
}

/// One thing that a model has found in a picture, and where.
public struct Detection: Sendable, Hashable {
  /// What it is; the index as text where the class has no label.
  public var label: String
  /// The class.
  public var index: Int
  /// How sure the model is.
  public var score: Float
  /// Where it is, in pixels of the caller's picture.
  public var box: BoundingBox
  /// Points of it that the model has found, in pixels of the caller's picture.
  public var keypoints: [Keypoint]

  /// A thing that was found.
  public init(label: String, index: Int, score: Float, box: BoundingBox, keypoints: [Keypoint] = []) {
    self.label = label
    self.index = index
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }

  /// The colour of its class, which is always the same.
  public var color: PixelColor { .forClass(index) }
}

/// A point of a picture that has a name, such as an eye.
public struct Keypoint: Sendable, Hashable {
  /// What it is; its number as text where the bundle does not say.
  public var name: String
  /// From the left, in pixels.
  public var x: Double
  /// From the top, in pixels.
  public var y: Double

  /// A point with a name.
  public init(name: String, x: Double, y: Double) {
    (self.name, self.x, self.y) = (name, x, y)
  }
}

/// What a model has found in a picture, surest first.
public struct Detections: Sendable, Hashable {
  /// What was found, by falling score; equal scores in the order of the model's output.
  public let all: [Detection]
  /// For each of them, which row of the model's outputs it was.
  ///
  /// Where a model gives more for each row, that is how it is found.
  public let rows: [Int]
  /// In what the model's outputs contradict themselves.
  public let inconsistencies: [Inconsistency]

  init(_ found: [(row: Int, detection: Detection)], _ findings: [Inconsistency]) {
    all = found.map(\.detection)
    rows = found.map(\.row)
    self.inconsistencies = findings
  }

  /// Something in a model's outputs that cannot be so.
  @nonexhaustive
  public enum Inconsistency: Sendable, Hashable {
    /// The count is no number, or of more than the outputs have.
    case countOutOfRange(reported: Double, available: Int)
    /// Outputs have rows for different numbers of things.
    case rowCountsDiffer([Int])
    /// So many scores, classes or corners are no finite numbers.
    case nonFiniteValues(Int)
  }
}

extension Detections: RandomAccessCollection {
  /// Where the first is.
  public var startIndex: Int { all.startIndex }
  /// Where none is any more.
  public var endIndex: Int { all.endIndex }
  /// What was found as so-and-so-many-th.
  public subscript(position: Int) -> Detection { all[position] }
}

extension Detections.Inconsistency: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch self {
    case .countOutOfRange(let told, let held):
      "the count says \(told.isFinite ? "\(Int(clamping: told))" : "\(told)"), "
        + "and the outputs hold \(held)"
    case .rowCountsDiffer(let counts):
      "the outputs hold different numbers of rows: "
        + counts.map(String.init).joined(separator: ", ")
    case .nonFiniteValues(let count):
      "\(count) of the detections have a score, a class or a corner that is no number"
    }
  }
}

extension Int {
  /// The whole number nearest to zero from a finite one, as far as there are such.
  package init(clamping value: Double) {
    self = Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
  }
}
