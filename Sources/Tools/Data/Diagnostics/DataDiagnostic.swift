import TensorIOBundle
import TensorIOJSON

/// A finding about one value, row or file of a dataset, without its location.
struct DataDiagnostic: Error, Equatable {
  let code: String
  var expected: String?
  var found: String?
  let message: String
  var suggestion: String?
  var severity = Diagnostic.Severity.error

  /// Returns the finding with a location.
  func diagnostic(path: String, line: Int? = nil, column: Int? = nil) -> Diagnostic {
    Diagnostic(
      severity, code: code, path: path, line: line, column: column, expected: expected,
      found: found, message: message, suggestion: suggestion)
  }
}

extension DataDiagnostic {
  /// The maximum number of characters that a message quotes.
  private static let maxQuotedLength = 40

  static func quoted(_ text: String) -> String {
    text.count > maxQuotedLength ? "'\(text.prefix(maxQuotedLength))…'" : "'\(text)'"
  }

  /// Returns a suggestion for a name that is not among the known ones; `nil` if there are none.
  static func hint(_ name: String, among known: [String]) -> String? {
    if let match = Spelling.closestMatch(to: name, among: known) {
      return "did you mean '\(match)'?"
    }
    guard !known.isEmpty else { return nil }
    let shown = known.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    return "known values: \(shown)\(known.count > 8 ? ", …" : "")"
  }

  static func unknownLabel(_ name: String, among labels: [String]) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-label", message: "unknown label \(quoted(name))",
      suggestion: hint(name, among: labels))
  }

  static func labelOutOfRange(_ text: String, count: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "label-out-of-range", expected: "an integer from 0 to \(count - 1)", found: text,
      message: "label index out of range")
  }

  static let unexpectedFile = DataDiagnostic(
    code: "unexpected-file", message: "not an image; skipped", severity: .warning)

  static let unlabeledImage = DataDiagnostic(
    code: "unlabeled-image", message: "image is not in a label's folder",
    suggestion: "move it into the folder of its label")

  static let missingValue = DataDiagnostic(code: "missing-value", message: "missing value")

  static let notBase64 = DataDiagnostic(
    code: "invalid-value", message: "invalid base64 after 'base64:'")

  static func notANumber(_ text: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "not-a-number", expected: "a number, or a list such as [1,2,3]", found: quoted(text),
      message: "not a number")
  }

  static func notFinite(_ value: Double) -> DataDiagnostic {
    DataDiagnostic(
      code: "not-finite", expected: "finite numbers", found: "\(value)",
      message: "number is not finite")
  }

  static func wrongCount(expected: Int, found: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "wrong-count", expected: "\(expected)", found: "\(found)",
      message: "wrong number of values")
  }

  static func outOfRange(_ value: Double, _ type: ElementType) -> DataDiagnostic {
    DataDiagnostic(
      code: "out-of-range", message: "\(value.shortestText) cannot be represented as \(type)")
  }

  static func duplicateColumn(_ name: String) -> DataDiagnostic {
    DataDiagnostic(code: "duplicate-column", message: "duplicate column \(quoted(name))")
  }

  static func unknownColumn(_ name: String, among names: [String]) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-column", message: "no layer is named \(quoted(name))",
      suggestion: hint(name, among: names))
  }

  static func missingColumn(_ name: String) -> DataDiagnostic {
    DataDiagnostic(code: "missing-column", message: "missing column or key '\(name)'")
  }

  static func invalidPair(_ line: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "invalid-pair", expected: "NAME N M, NAME N OTHER M, or two paths and 0 or 1",
      found: quoted(line), message: "not a pair of images")
  }

  static func missingText(_ line: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "missing-text", expected: "an image, a tab and its text", found: quoted(line),
      message: "image without a text")
  }

  static func missingTag(_ word: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "missing-tag", expected: "a word and its tag, such as B-PER or O", found: quoted(word),
      message: "word without a tag")
  }

  static func mixedExpectations(_ key: String, _ first: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "mixed-expectations", expected: "'\(first)'", found: "'\(key)'",
      message: "the line has another kind of expectation than the first one")
  }

  static func invalidTrackRow(_ line: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "invalid-track-row",
      expected: "frame, number, left, top, width, height, and possibly confidence and class",
      found: quoted(line), message: "not a box of a track")
  }

  static func raggedRow(expected: Int, found: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "ragged-row", expected: "\(expected) cells", found: "\(found)",
      message: "row length differs from the header")
  }

  static let unterminatedQuote = DataDiagnostic(
    code: "invalid-quoting", message: "unterminated quote",
    suggestion: "end the cell with a quote; write a quote inside it twice")

  static let textAfterQuote = DataDiagnostic(
    code: "invalid-quoting", message: "text after the closing quote",
    suggestion: "write a quote inside a quoted cell twice")

  static let unescapedQuote = DataDiagnostic(
    code: "invalid-quoting", message: "quote inside an unquoted cell",
    suggestion: "put the cell in quotes and write the quote inside it twice")

  static let notUTF8 = DataDiagnostic(code: "invalid-utf8", message: "invalid UTF-8")

  static func notAnObject(_ node: JSONNode) -> DataDiagnostic {
    DataDiagnostic(
      code: "wrong-type", expected: "an object with a member for each layer", found: node.summary,
      message: "line is not a JSON object")
  }
}

extension DataDiagnostic {
  init(_ error: JSONError) {
    self.init(
      code: error.code.rawValue, expected: error.expected, found: error.found,
      message: "invalid JSON", suggestion: error.suggestion)
  }

  init(_ error: ModelError) {
    if case ModelError.invalidJSON = error, let found = error.diagnostics.first {
      self.init(
        code: found.code, expected: found.expected, found: found.found, message: "invalid JSON",
        suggestion: found.suggestion)
    } else {
      self.init(code: error.code, message: error.message)
    }
  }
}

extension Double {
  /// The number, written without `.0` if it is an integer.
  var shortestText: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}

extension DataDiagnostic {
  static func sizeMismatch(declared: ImageSize, actual: ImageSize) -> DataDiagnostic {
    DataDiagnostic(
      code: "size-mismatch", expected: "\(declared)", found: "\(actual)",
      message: "size of the upright image differs from the declared size")
  }

  static func invertedBox(_ edges: BoxEdges) -> DataDiagnostic {
    DataDiagnostic(
      code: "inverted-box", found: edges.summary,
      message: "box has a maximum edge less than its minimum edge",
      suggestion: "give the upper left corner first")
  }

  static func emptyBox(_ edges: BoxEdges) -> DataDiagnostic {
    DataDiagnostic(code: "empty-box", found: edges.summary, message: "box has no area")
  }

  static let invalidSegmentation = DataDiagnostic(
    code: "invalid-segmentation",
    expected: "polygons of at least three points, or run lengths of all pixels with their size",
    message: "invalid segmentation; ignored", severity: .warning)

  static func negativeArea(_ area: Double) -> DataDiagnostic {
    DataDiagnostic(
      code: "out-of-range", expected: "0 or more", found: area.shortestText,
      message: "negative area")
  }

  static func boxOutOfBounds(_ edges: BoxEdges, _ size: ImageSize) -> DataDiagnostic {
    DataDiagnostic(
      code: "box-out-of-bounds", expected: "a box within \(size)", found: edges.summary,
      message: "box exceeds its image")
  }

  static func clippedBox(_ edges: BoxEdges, _ size: ImageSize) -> DataDiagnostic {
    DataDiagnostic(
      code: "clipped-box", expected: "a box within \(size)", found: edges.summary,
      message: "box exceeds its image by at most one pixel; clipped", severity: .warning)
  }

  static func unknownLabelsSkipped(_ count: Int, of labels: [String]) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-labels-skipped", found: labels.prefix(5).joined(separator: ", "),
      message: "skipped \(count) boxes with \(labels.count) unknown labels",
      severity: .warning)
  }

  static func unknownSplit(_ name: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-split", message: "unknown split \(quoted(name))",
      suggestion: hint(name, among: DatasetSplit.allCases.map(\.rawValue)))
  }

  static func conflictingSplits(_ name: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "conflicting-splits", message: "image \(quoted(name)) is assigned to two splits")
  }

  static func nonRectangularBox() -> DataDiagnostic {
    DataDiagnostic(
      code: "non-rectangular-box",
      message: "corners do not form an axis-aligned rectangle that starts at the upper left")
  }

  static func wrongCellCount(found: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "ragged-row", expected: "set, path, label and eight cells of corners",
      found: "\(found) cells", message: "wrong number of cells for an AutoML row")
  }

  static func invalidCoordinate(_ text: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "not-a-number", expected: "a number such as 0.25", found: quoted(text),
      message: "not a number")
  }

  static func duplicateID(_ id: Int64, of kind: String) -> DataDiagnostic {
    DataDiagnostic(code: "duplicate-id", message: "duplicate \(kind) id \(id)")
  }

  static func duplicateImage(_ name: String) -> DataDiagnostic {
    DataDiagnostic(code: "duplicate-image", message: "duplicate image \(quoted(name))")
  }

  static func duplicateLabel(_ name: String) -> DataDiagnostic {
    DataDiagnostic(code: "duplicate-label", message: "duplicate label \(quoted(name))")
  }

  static func unknownID(_ id: Int64, of kind: String) -> DataDiagnostic {
    DataDiagnostic(code: "unknown-id", message: "unknown \(kind) id \(id)")
  }

  static func missingKey(_ key: String) -> DataDiagnostic {
    DataDiagnostic(code: "missing-key", message: "missing key '\(key)'")
  }

  static func wrongType(_ node: JSONNode, expected: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "wrong-type", expected: expected, found: node.summary,
      message: "wrong type")
  }
}
