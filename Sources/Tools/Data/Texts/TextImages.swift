public import TensorIOBundle
public import TensorIOImage
import TensorIOJSON
import TensorIOSystem

/// Images with the text that they show: one line each, or several lines with their outlines.
///
/// The file is one of PaddleOCR, with an image and its text, or a list of its lines, on each line:
///
/// ```
/// lines/1.png	No. 2026-1127
/// photo.jpg	[{"transcription": "Exit", "points": [[10, 5], [60, 5], [60, 25], [10, 25]]}]
/// ```
///
/// or a JSON object with the lines of each image:
///
/// ```json
/// {"photo.jpg": [{"text": "Exit", "box": [[10, 5], [60, 5], [60, 25], [10, 25]]}]}
/// ```
///
/// Images are relative to the folder of the file. Lines with the text `###` cannot be read by people either; they are ignored.
public struct TextImages: IndexedDataset {
  /// A line of text in an image.
  public struct Line: Sendable, Hashable {
    /// The text.
    public let text: String
    /// The corners, in pixels of the image; empty for the text of the whole image.
    public let corners: [AffineMap.Point]

    /// Whether the line is ignored.
    public var isIgnored: Bool { text == "###" }
  }

  /// The path of the file.
  public let path: String
  /// Always empty, because texts have no labels.
  public var labels: [String] { [] }
  /// Always empty, because a file with an error cannot be opened.
  public var errors: [Diagnostic] { [] }
  /// Always empty.
  public var warnings: [Diagnostic] { [] }

  private var items: [Item] = []

  private struct Item: Sendable {
    let name: String
    let lines: [Line]
  }

  /// Opens a file with texts of images.
  ///
  /// - Throws: `ModelError` if a line is invalid.
  public init(at path: String) throws(ModelError) {
    self.path = path
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, stage: .input)
      do throws(LocatedDiagnostic) {
        items =
          path.hasFileExtension(in: ["json"])
          ? try Self.items(inObject: bytes) : try Self.items(inLines: bytes)
      } catch {
        log.add(error)
      }
      if items.isEmpty { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
  }

  private static func items(inObject bytes: [UInt8]) throws(LocatedDiagnostic) -> [Item] {
    let root = try JSONObjectReader(JSONNode(parsingLocated: bytes))
    var items: [Item] = []
    for name in root.names {
      items.append(Item(name: name, lines: try lines(root.elements(name))))
    }
    return items
  }

  private static func items(inLines bytes: [UInt8]) throws(LocatedDiagnostic) -> [Item] {
    var items: [Item] = []
    let rows = String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, row) in rows.enumerated() where !row.isEmpty {
      guard let tab = row.firstIndex(of: "\t") else {
        throw LocatedDiagnostic(.missingText(String(row)), at: .text("", line: number + 1))
      }
      let content = row[row.index(after: tab)...]
      let name = String(row[..<tab])
      guard content.hasPrefix("[{") || content == "[]" else {
        items.append(Item(name: name, lines: [Line(text: String(content), corners: [])]))
        continue
      }
      let node = try JSONNode(parsingLocated: Array("{\"lines\": \(content)}".utf8))
      let reader = try JSONObjectReader(node, line: number + 1)
      items.append(Item(name: name, lines: try lines(reader.elements("lines"), line: number + 1)))
    }
    return items
  }

  private static func lines(
    _ elements: JSONElements, line: Int? = nil
  ) throws(LocatedDiagnostic) -> [Line] {
    var lines: [Line] = []
    for element in elements {
      let reader = try JSONObjectReader(element, line: line)
      let key = reader.has("points") ? "points" : "box"
      var corners: [AffineMap.Point] = []
      for pair in try reader.elements(key) {
        let numbers = pair.elements?.compactMap(\.double) ?? []
        guard numbers.count == 2, numbers.allSatisfy(\.isFinite), pair.count == 2 else {
          throw LocatedDiagnostic(
            .wrongType(pair, expected: "a point, [x, y]"), at: .value(pair, line: line))
        }
        corners.append(.init(x: numbers[0], y: numbers[1]))
      }
      guard corners.count > 2 else {
        throw LocatedDiagnostic(
          .wrongCount(expected: 4, found: corners.count), at: reader.location(of: key))
      }
      let text = try reader.string(reader.has("transcription") ? "transcription" : "text")
      lines.append(Line(text: text, corners: corners))
    }
    return lines
  }

  /// The extensions of files with texts.
  private static let extensions: Set = ["txt", "tsv", "json"]

  /// Returns whether a path can be one of such a file, which has the form of others.
  package static func matches(_ path: String) -> Bool {
    FileKind(at: path) == .file && path.hasFileExtension(in: extensions)
  }
}

// MARK: Items

extension TextImages {
  /// The number of images.
  public var count: Int { items.count }

  /// Returns the name of an image.
  public func name(at index: Int) -> String { items[index].name }

  /// Returns the path of an image, whose name may lack its extension.
  public func imagePath(at index: Int) -> String {
    let path = DataPath.resolve(items[index].name, in: path.parentDirectory)
    guard FileKind(at: path) != .file else { return path }
    return ["png", "jpg", "jpeg", "webp"].map { "\(path).\($0)" }
      .first { FileKind(at: $0) == .file } ?? path
  }

  /// Reads the file of an image.
  public func imageBytes(at index: Int) throws(ModelError) -> [UInt8] {
    try readImage(imagePath(at: index), of: index)
  }

  /// Returns the lines of an image.
  public func lines(at index: Int) -> [Line] { items[index].lines }

  /// Returns an empty array, because texts have no labels.
  public func labelIndices(at index: Int) -> [Int] { [] }

  /// Returns `nil`, because images are not assigned to splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns `nil`, because a file with an error cannot be opened.
  public func error(at index: Int) -> Diagnostic? { nil }

  /// Returns the images at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> TextImages {
    var subset = self
    subset.items = indexes.map { items[$0] }
    return subset
  }
}
