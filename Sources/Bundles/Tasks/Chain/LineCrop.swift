import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOSystem

/// The extraction of each line of text as an upright image.
package struct LineCrop: Sendable, Hashable {
  /// The image with the lines.
  package var image: ChainSource
  /// The step that found the lines.
  package var lines: String
  /// The ratio of height to width from which an image is turned counterclockwise by 90°, because its text runs downwards.
  package var turnRatio: Double

  /// The ratio of RapidOCR and PaddleOCR.
  package static let defaultTurnRatio = 1.5

  /// Creates an extraction.
  package init(
    image: ChainSource, lines: String, turnRatio: Double = LineCrop.defaultTurnRatio
  ) {
    (self.image, self.lines, self.turnRatio) = (image, lines, turnRatio)
  }
}

/// The correction of the orientation of images by a classifier whose labels are angles.
package struct OrientationTurn: Sendable, Hashable {
  /// The images.
  package var image: ChainSource
  /// The step with the classifier, whose labels are 0, 90, 180 and 270 degrees clockwise.
  package var classes: String
  /// The score that a label must exceed.
  package var minimumScore: Double

  /// Creates a correction.
  package init(image: ChainSource, classes: String, minimumScore: Double = 0) {
    (self.image, self.classes, self.minimumScore) = (image, classes, minimumScore)
  }
}

/// An upright image of a line of text, and where it is from.
struct CroppedLine: Sendable {
  /// The line as it was found.
  let line: TextLine
  /// The image, whose orientation is that of its text.
  var image: ImageBuffer
  private let map: PerspectiveMap
  /// The size of the line's image before it is enlarged.
  private let scale: (x: Double, y: Double)

  /// Creates the image of a line; `nil` if the line has no area.
  ///
  /// - Parameters:
  ///   - line: The line, in pixels of the caller's image.
  ///   - image: The image, which may be an enlarged one.
  ///   - scale: The ratio of the image's sides to those of the caller's image.
  ///   - turnRatio: The ratio of height to width from which the image is turned.
  /// - Throws: ``ImageError`` if the line is too long for an image.
  init?(
    _ line: TextLine, in image: ImageBuffer, scale: (x: Double, y: Double), turnRatio: Double
  ) throws(ImageError) {
    let corners = line.corners.map { AffineMap.Point(x: $0.x * scale.x, y: $0.y * scale.y) }
    guard corners.count == 4, corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      return nil
    }
    func side(_ one: Int, _ other: Int) -> Double {
      hypot(corners[one].x - corners[other].x, corners[one].y - corners[other].y)
    }
    let limit = Double(ImageLimits.maxSide)
    let width = Int(min(max(side(0, 1), side(2, 3)), limit))
    let height = Int(min(max(side(0, 3), side(1, 2)), limit))
    guard width > 0, height > 0,
      let map = PerspectiveMap(fromWidth: Double(width), height: Double(height), to: corners)
    else { return nil }
    self.image = try image.extracted(by: map, width: width, height: height)
    if Double(height) / Double(width) >= turnRatio { self.image.orientation = .left }
    (self.line, self.map, self.scale) = (line, map, scale)
  }

  /// Turns the image counterclockwise by a multiple of 90°.
  mutating func turn(quarters: Int) {
    let turns: [ImageOrientation] = [.up, .left, .down, .right]
    let current = turns.firstIndex(of: image.orientation) ?? 0
    image.orientation = turns[(current + quarters) % turns.count]
  }

  /// Returns a line of the image in pixels of the caller's image.
  func placed(_ read: TextLine) -> TextLine {
    let (width, height) = (Double(image.width), Double(image.height))
    var placed = read.mapped { point in
      // The point in the image before it was turned.
      let (x, y) =
        switch image.orientation {
        case .left: (width - point.y, point.x)
        case .down: (width - point.x, height - point.y)
        case .right: (point.y, height - point.x)
        default: (point.x, point.y)
        }
      let corner = map.apply(x, y)
      return AffineMap.Point(x: corner.x / scale.x, y: corner.y / scale.y)
    }
    placed.corners = line.corners
    return placed
  }
}
