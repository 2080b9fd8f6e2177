/// The order of the channels of a pixel, 8 bits each.
public enum PixelFormat: String, Sendable, Hashable, CaseIterable {
  case rgb, bgr, rgba, argb, bgra, gray

  /// How many bytes a pixel takes.
  public var bytesPerPixel: Int {
    switch self {
    case .gray: 1
    case .rgb, .bgr: 3
    case .rgba, .argb, .bgra: 4
    }
  }

  /// Where in a pixel red lies; in gray, the one value.
  public var redOffset: Int {
    switch self {
    case .gray, .rgb, .rgba: 0
    case .argb: 1
    case .bgr, .bgra: 2
    }
  }

  /// Where in a pixel green lies; in gray, the one value.
  public var greenOffset: Int {
    switch self {
    case .gray: 0
    case .rgb, .rgba, .bgr, .bgra: 1
    case .argb: 2
    }
  }

  /// Where in a pixel blue lies; in gray, the one value.
  public var blueOffset: Int {
    switch self {
    case .gray, .bgr, .bgra: 0
    case .rgb, .rgba: 2
    case .argb: 3
    }
  }

  /// Where in a pixel alpha lies, or `nil` where there is none.
  public var alphaOffset: Int? {
    switch self {
    case .gray, .rgb, .bgr: nil
    case .argb: 0
    case .rgba, .bgra: 3
    }
  }

  /// Whether pixels have colours.
  public var hasColor: Bool { self != .gray }
}

/// A rectangle of whole pixels.
public struct PixelRegion: Sendable, Hashable {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// How many columns.
  public var width: Int
  /// How many rows.
  public var height: Int

  /// A rectangle by its corner and sides.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}
