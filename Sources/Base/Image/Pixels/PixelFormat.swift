/// The order of a pixel's channels, 8 bits each.
public enum PixelFormat: String, Sendable, Hashable, CaseIterable {
  case rgb, bgr, rgba, argb, bgra, gray

  /// The number of bytes per pixel.
  public var bytesPerPixel: Int {
    switch self {
    case .gray: 1
    case .rgb, .bgr: 3
    case .rgba, .argb, .bgra: 4
    }
  }

  /// The offset of red within a pixel; in gray, of the only channel.
  public var redOffset: Int {
    switch self {
    case .gray, .rgb, .rgba: 0
    case .argb: 1
    case .bgr, .bgra: 2
    }
  }

  /// The offset of green within a pixel; in gray, of the only channel.
  public var greenOffset: Int {
    switch self {
    case .gray: 0
    case .rgb, .rgba, .bgr, .bgra: 1
    case .argb: 2
    }
  }

  /// The offset of blue within a pixel; in gray, of the only channel.
  public var blueOffset: Int {
    switch self {
    case .gray, .bgr, .bgra: 0
    case .rgb, .rgba: 2
    case .argb: 3
    }
  }

  /// The offset of alpha within a pixel, or `nil` if there is none.
  public var alphaOffset: Int? {
    switch self {
    case .gray, .rgb, .bgr: nil
    case .argb: 0
    case .rgba, .bgra: 3
    }
  }

  /// Whether the format has color channels.
  public var hasColor: Bool { self != .gray }
}

/// A rectangle of pixels.
public struct PixelRegion: Sendable, Hashable {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a rectangle from its upper left corner and its size.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}
