import TensorIOCore
import TensorIOImage
import TensorIOSystem

/// The lines of text in an image, in the order in which they are read.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "ocr.tiochain")
/// let lines = try model.run(ImageBuffer(contentsOf: "photo.jpg")).textLines
/// print(lines.text)
/// ```
public struct TextLines: Sendable, Hashable {
  /// The lines.
  public let all: [TextLine]
  /// The size of the image; `nil` if it is unknown.
  let imageSize: ImageSize?

  /// The size of an image.
  struct ImageSize: Sendable, Hashable {
    let width, height: Int
  }

  /// Creates lines in the order of reading.
  init(_ all: [TextLine], imageSize: ImageSize? = nil) {
    (self.all, self.imageSize) = (all, imageSize)
  }

  /// The texts, one on each line.
  public var text: String { all.compactMap(\.text).joined(separator: "\n") }
}

extension TextLines: RandomAccessCollection {
  /// The index of the first line.
  public var startIndex: Int { all.startIndex }
  /// The index after the last line.
  public var endIndex: Int { all.endIndex }
  /// The line at a position.
  public subscript(position: Int) -> TextLine { all[position] }
}

extension TextLines: TaskResult {
  static let outputName = "lines"

  /// `lines`.
  public var key: String { Self.outputName }
  /// The lines.
  public var content: [TextLine] { all }

  /// The texts with their scores, or the corners of lines that were not read.
  public var textLines: [String] {
    let rows = all.map { line in
      let place = line.box
      return
        "    \(line.text?.sanitizedForTerminal ?? "line")  \(line.score.formatted(decimals: 4))"
        + (line.text == nil ? "  \(place)" : "")
    }
    return ["  lines"] + (rows.isEmpty ? ["    none"] : rows)
  }

  /// The texts, separated by commas, or the number of lines that were not read.
  public var summary: String {
    let texts = all.compactMap(\.text)
    guard texts.isEmpty, !isEmpty else {
      return texts.map(\.sanitizedForTerminal).joined(separator: ", ")
    }
    return "\(count) \(count == 1 ? "line" : "lines")"
  }

  /// Outlines with the texts.
  public var overlay: Overlay {
    Overlay(
      all.enumerated().map { index, line in
        .polygon(
          .init(
            corners: line.corners, label: line.text ?? "", score: Double(line.score),
            color: .forClass(index)))
      })
  }
}
