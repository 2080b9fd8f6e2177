/// A box that somebody drew around something in a picture.
///
/// Its edges are in pixels of the upright picture, from its upper left corner.
public struct AnnotatedBox: Sendable, Hashable {
  /// What is in it, as an index of a label.
  public var label: Int
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
    label: Int, xmin: Double, ymin: Double, xmax: Double, ymax: Double, isCrowd: Bool = false,
    isDifficult: Bool = false, area: Double? = nil
  ) {
    self.label = label
    (self.xmin, self.ymin, self.xmax, self.ymax) = (xmin, ymin, xmax, ymax)
    (self.isCrowd, self.isDifficult) = (isCrowd, isDifficult)
    self.area = area ?? (xmax - xmin) * (ymax - ymin)
  }

  /// From its left to its right edge.
  public var width: Double { xmax - xmin }
  /// From its upper to its lower edge.
  public var height: Double { ymax - ymin }
}
