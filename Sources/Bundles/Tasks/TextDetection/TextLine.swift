import TensorIOCore
public import TensorIOImage
import TensorIOSystem

/// A line of text in an image.
public struct TextLine: Sendable, Hashable {
  /// A word of a line.
  public struct Word: Sendable, Hashable {
    /// The characters.
    public var text: String
    /// The corners, in pixels of the caller's image: the upper left, upper right, lower right and lower left one.
    public var corners: [AffineMap.Point]

    /// Creates a word.
    public init(text: String, corners: [AffineMap.Point]) {
      (self.text, self.corners) = (text, corners)
    }
  }

  /// The characters; `nil` for a line that was found and not read.
  public var text: String?
  /// The mean probability of the characters, or of the pixels of a line that was not read.
  public var score: Float
  /// The corners, in pixels of the caller's image: the upper left, upper right, lower right and lower left one of the text.
  public var corners: [AffineMap.Point]
  /// The words, which spaces separate; empty for a line that was not read.
  public var words: [Word]

  /// Creates a line.
  public init(
    text: String?, score: Float, corners: [AffineMap.Point], words: [Word] = []
  ) {
    (self.text, self.score, self.corners, self.words) = (text, score, corners, words)
  }
}

extension TextLine.Word: ResultRecord {
  /// The text and the corners.
  public static let members = [Member("text", \.text), Member("corners", \.corners)]
}

extension TextLine: ResultRecord {
  /// The text, the score, the corners and the words.
  public static let members = [
    Member("text", \.text), Member("score", \.score), Member("corners", \.corners),
    Member("words") { $0.words.isEmpty ? nil : $0.words },
  ]
}

extension TextLine {
  /// The rectangle around the corners.
  public var box: BoundingBox { BoundingBox(around: corners) }

  /// Returns the intersection over union of the line and a convex polygon, whose corners have either direction.
  package func overlap(with polygon: [AffineMap.Point]) -> Double {
    func box(_ corners: [AffineMap.Point]) -> OrientedBox? {
      OrientedBox(OrientedBox.signedArea(of: corners) < 0 ? corners.reversed() : corners)
    }
    guard let own = box(corners), let other = box(polygon) else { return 0 }
    return own.intersectionOverUnion(other)
  }

  /// Returns the line with a map applied to its points.
  func mapped(_ map: (AffineMap.Point) -> AffineMap.Point) -> TextLine {
    var mapped = self
    mapped.corners = corners.map(map)
    for index in words.indices { mapped.words[index].corners = words[index].corners.map(map) }
    return mapped
  }
}

extension TextLine: TaskResult {
  static let outputName = "line"

  /// `line`.
  public var key: String { Self.outputName }

  /// The text and its score.
  public var textLines: [String] {
    ["  \((text ?? "").sanitizedForTerminal)  \(score.formatted(decimals: 4))"]
  }

  /// The text.
  public var summary: String { (text ?? "").sanitizedForTerminal }
}
