public import TensorIOImage

/// A rectangle in an upright image, in pixels from its upper left corner.
public struct BoundingBox: Sendable, Hashable {
  /// The left edge.
  public var xmin: Double
  /// The upper edge.
  public var ymin: Double
  /// The right edge.
  public var xmax: Double
  /// The lower edge.
  public var ymax: Double

  /// Creates a rectangle from its edges.
  public init(xmin: Double, ymin: Double, xmax: Double, ymax: Double) {
    (self.xmin, self.ymin, self.xmax, self.ymax) = (xmin, ymin, xmax, ymax)
  }

  /// The width, or 0 if the left and right edges are reversed.
  public var width: Double { max(0, xmax - xmin) }
  /// The height, or 0 if the upper and lower edges are reversed.
  public var height: Double { max(0, ymax - ymin) }
  /// The area in pixels.
  public var area: Double { width * height }

  /// Returns the intersection of two rectangles, which has no area if they do not overlap.
  public func intersection(_ other: BoundingBox) -> BoundingBox {
    BoundingBox(
      xmin: max(xmin, other.xmin), ymin: max(ymin, other.ymin), xmax: min(xmax, other.xmax),
      ymax: min(ymax, other.ymax))
  }

  /// Returns the ratio of the areas of intersection and union, from 0 to 1.
  public func intersectionOverUnion(_ other: BoundingBox) -> Double {
    let overlap = intersection(other).area
    let union = area + other.area - overlap
    return union > 0 ? overlap / union : 0
  }

  var isFinite: Bool {
    xmin.isFinite && ymin.isFinite && xmax.isFinite && ymax.isFinite
  }
}

/// An object that a model has detected in an image.
public struct Detection: Sendable, Hashable {
  /// The label of the class, or its index as text if it has none.
  public var label: String
  /// The class.
  public var index: Int
  /// The score, typically from 0 to 1.
  public var score: Float
  /// The bounding box, in pixels of the caller's image.
  public var box: BoundingBox
  /// The keypoints of the object, in pixels of the caller's image.
  public var keypoints: [Keypoint]
  /// The corners of a rotated box, in pixels of the caller's image; empty for an upright box.
  ///
  /// ``box`` is the upright rectangle around them.
  public var corners: [AffineMap.Point] = []

  /// Creates a detection.
  public init(
    label: String, index: Int, score: Float, box: BoundingBox, keypoints: [Keypoint] = []
  ) {
    self.label = label
    self.index = index
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }

  /// The color of the class, which depends only on its index.
  public var color: PixelColor { .forClass(index) }
}

/// A named point in an image, such as an eye.
public struct Keypoint: Sendable, Hashable {
  /// The name, or the index as text if the bundle does not name it.
  public var name: String
  /// The distance from the left edge, in pixels.
  public var x: Double
  /// The distance from the upper edge, in pixels.
  public var y: Double

  /// Creates a keypoint.
  public init(name: String, x: Double, y: Double) {
    (self.name, self.x, self.y) = (name, x, y)
  }
}

/// The objects that a model has detected in an image, in descending order of score.
public struct Detections: Sendable, Hashable {
  /// The detections, in descending order of score; equal scores in the order of the outputs.
  public let all: [Detection]
  /// The row of the model's outputs for each detection.
  ///
  /// Use it to look up additional values of a detection.
  public let rows: [Int]
  /// Inconsistencies in the model's outputs.
  public let inconsistencies: [Inconsistency]

  init(_ rows: [(row: Int, detection: Detection)], _ inconsistencies: [Inconsistency]) {
    all = rows.map(\.detection)
    self.rows = rows.map(\.row)
    self.inconsistencies = inconsistencies
  }

  /// An inconsistency in a model's outputs.
  @nonexhaustive
  public enum Inconsistency: Sendable, Hashable {
    /// The count is NaN, negative, or larger than the number of rows.
    case countOutOfRange(reported: Double, available: Int)
    /// The outputs have different numbers of rows.
    case rowCountsDiffer([Int])
    /// The given number of detections have a score, class or corner that is not finite.
    case nonFiniteValues(Int)
  }
}

extension Detections: RandomAccessCollection {
  /// The index of the first detection.
  public var startIndex: Int { all.startIndex }
  /// The index after the last detection.
  public var endIndex: Int { all.endIndex }
  /// The detection at a position.
  public subscript(position: Int) -> Detection { all[position] }
}

extension Detections.Inconsistency: CustomStringConvertible {
  /// One line that describes the inconsistency.
  public var description: String {
    switch self {
    case .countOutOfRange(let reported, let available):
      "the count is \(reported.isFinite ? "\(Int(clamping: reported))" : "\(reported)"), "
        + "but the outputs have \(available) rows"
    case .rowCountsDiffer(let counts):
      "the outputs have different numbers of rows: "
        + counts.map(String.init).joined(separator: ", ")
    case .nonFiniteValues(let count):
      "\(count) detections have a score, class or corner that is not a finite number"
    }
  }
}

extension Int {
  /// Converts a number by rounding towards zero and clamping to the range of `Int`.
  package init(clamping value: Double) {
    self = Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
  }
}
