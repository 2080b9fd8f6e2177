public import TensorIOImage

/// What to draw on an image to show a result: shapes, masks and scores, in pixels of the image.
///
/// The elements are drawn in order, so that later ones cover earlier ones. Boxes are the exception:
/// they cover everything else, and the first of them, with the highest score, is on top.
public struct Overlay: Sendable, Hashable {
  /// One shape, mask or panel.
  @nonexhaustive
  public enum Element: Sendable, Hashable {
    /// A rectangle around an object.
    case box(Box)
    /// A closed outline around an object.
    case polygon(Polygon)
    /// Line segments, such as the limbs of a skeleton.
    case lines([Line])
    /// Points of the same color.
    case points([AffineMap.Point], color: PixelColor)
    /// Colored pixels.
    case mask(Mask)
    /// Labels with bars, in a corner of the image.
    case scores([Score])
  }

  /// A rectangle around an object.
  public struct Box: Sendable, Hashable {
    /// The rectangle, in pixels of the image.
    public var box: BoundingBox
    /// The label of the object.
    public var label: String
    /// The score of the label.
    public var score: Double
    /// The color of the rectangle.
    public var color: PixelColor
    /// Points of the object, drawn in the same color.
    public var points: [AffineMap.Point]

    /// Creates a rectangle around an object.
    public init(
      box: BoundingBox, label: String, score: Double, color: PixelColor,
      points: [AffineMap.Point] = []
    ) {
      (self.box, self.label, self.score, self.color) = (box, label, score, color)
      self.points = points
    }
  }

  /// A closed outline around an object.
  public struct Polygon: Sendable, Hashable {
    /// The corners, in order.
    public var corners: [AffineMap.Point]
    /// The text at the first corner; empty for none.
    public var label: String
    /// The score of the label; `nil` if it has none.
    public var score: Double?
    /// The color of the outline.
    public var color: PixelColor

    /// Creates an outline.
    public init(
      corners: [AffineMap.Point], label: String = "", score: Double? = nil, color: PixelColor
    ) {
      (self.corners, self.label, self.score, self.color) = (corners, label, score, color)
    }
  }

  /// A line segment.
  public struct Line: Sendable, Hashable {
    /// The first end.
    public var start: AffineMap.Point
    /// The other end.
    public var end: AffineMap.Point
    /// The color.
    public var color: PixelColor

    /// Creates a line segment.
    public init(from start: AffineMap.Point, to end: AffineMap.Point, color: PixelColor) {
      (self.start, self.end, self.color) = (start, end, color)
    }
  }

  /// Pixels that are drawn over a region of the image.
  public struct Mask: Sendable, Hashable {
    /// The region of the image that the pixels cover.
    public var region: BoundingBox
    /// The number of pixels of a row.
    public var width: Int
    /// The number of rows.
    public var height: Int
    /// The entry of the palette for each pixel, row by row.
    public var indices: [UInt8]
    /// The color of each index; `nil`, and indices beyond the palette, are transparent.
    public var palette: [PixelColor?]
    /// The opacity of the colors, from 0 to 1.
    public var opacity: Double
    /// The labels of the colors that are shown in a legend.
    public var legend: [LegendEntry]

    /// Creates a mask.
    ///
    /// - Parameters:
    ///   - region: The region of the image that the pixels cover.
    ///   - width: The number of pixels of a row.
    ///   - indices: The entry of the palette for each pixel, row by row. An incomplete last row is
    ///     ignored.
    ///   - palette: The color of each index.
    ///   - opacity: The opacity of the colors, from 0 to 1.
    ///   - legend: The labels of the colors.
    public init(
      region: BoundingBox, width: Int, indices: [UInt8], palette: [PixelColor?],
      opacity: Double = Mask.defaultOpacity, legend: [LegendEntry] = []
    ) {
      self.region = region
      self.width = max(0, width)
      height = width > 0 ? indices.count / width : 0
      (self.indices, self.palette, self.opacity) = (indices, palette, opacity)
      self.legend = legend
    }

    /// The default opacity.
    public static let defaultOpacity = 0.55
  }

  /// A color and its meaning.
  public struct LegendEntry: Sendable, Hashable {
    /// The meaning.
    public var label: String
    /// The color.
    public var color: PixelColor

    /// Creates an entry.
    public init(label: String, color: PixelColor) {
      (self.label, self.color) = (label, color)
    }
  }

  /// A label with its score.
  public struct Score: Sendable, Hashable {
    /// The label.
    public var label: String
    /// The score, from 0 to 1.
    public var score: Double
    /// The class, which determines the color; `nil` to use the position in the list.
    public var index: Int?

    /// Creates an entry.
    public init(label: String, score: Double, index: Int? = nil) {
      (self.label, self.score, self.index) = (label, score, index)
    }
  }

  /// The elements, in the order in which they are drawn.
  public var elements: [Element]

  /// Creates an overlay.
  public init(_ elements: [Element] = []) {
    self.elements = elements
  }

  /// Whether there is nothing to draw.
  public var isEmpty: Bool { elements.isEmpty }
}
