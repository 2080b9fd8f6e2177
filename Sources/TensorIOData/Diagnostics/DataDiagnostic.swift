import TensorIOBundle
import TensorIOJSON

/// What is wrong with one value, row or file of the data, before it is said where.
struct DataDiagnostic: Error, Equatable {
  let code: String
  var expected: String?
  var found: String?
  let message: String
  var suggestion: String?
  var severity = Diagnostic.Severity.error

  /// The fault at a place.
  func diagnostic(path: String, line: Int? = nil, column: Int? = nil) -> Diagnostic {
    Diagnostic(
      severity, code: code, path: path, line: line, column: column, expected: expected,
      found: found, message: message, suggestion: suggestion)
  }
}

extension DataDiagnostic {
  /// As much of a text as a message shows.
  private static let maxQuotedLength = 40

  static func quoted(_ text: String) -> String {
    text.count > maxQuotedLength ? "'\(text.prefix(maxQuotedLength))…'" : "'\(text)'"
  }

  /// A word that should be one of some others.
  static func hint(_ word: String, among known: [String]) -> String {
    let nearest = Spelling.closestMatch(to: word, among: known).map { "did you mean '\($0)'?" }
    let shown = known.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    return nearest ?? "known are \(shown)\(known.count > 8 ? ", …" : "")"
  }

  static func unknownLabel(_ name: String, among labels: [String]) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-label", message: "There is no label \(quoted(name)).",
      suggestion: hint(name, among: labels))
  }

  static func labelOutOfRange(_ text: String, count: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "label-out-of-range", expected: "a whole number from 0 to \(count - 1)", found: text,
      message: "This is the index of no label.")
  }

  static let unexpectedFile = DataDiagnostic(
    code: "stray-file", message: "This is no picture and was left out.", severity: .warning)

  static let unlabeledImage = DataDiagnostic(
    code: "unlabelled-picture", message: "This picture lies in no label's folder.",
    suggestion: "move it into the folder of its label")

  static let missingValue = DataDiagnostic(code: "missing-value", message: "There is no value.")

  static let notBase64 = DataDiagnostic(
    code: "unreadable-value", message: "What follows base64: is not base64.")

  static func notANumber(_ text: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "not-a-number", expected: "a number, or a list such as [1,2,3]", found: quoted(text),
      message: "This is no number.")
  }

  static func notFinite(_ value: Double) -> DataDiagnostic {
    DataDiagnostic(
      code: "not-finite", expected: "finite numbers", found: "\(value)",
      message: "No model learns from this.")
  }

  static func wrongCount(expected: Int, found: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "wrong-count", expected: "\(expected)", found: "\(found)",
      message: "These are not as many values as the layer has.")
  }

  static func outOfRange(_ value: Double, _ type: ElementType) -> DataDiagnostic {
    DataDiagnostic(code: "out-of-range", message: "\(value.shortestText) is no \(type).")
  }

  static func duplicateColumn(_ name: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "duplicate-column", message: "The column \(quoted(name)) is there twice.")
  }

  static func unknownColumn(_ name: String, among names: [String]) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-column", message: "No layer is called \(quoted(name)).",
      suggestion: hint(name, among: names))
  }

  static func missingColumn(_ name: String) -> DataDiagnostic {
    DataDiagnostic(code: "missing-column", message: "There is nothing for the layer '\(name)'.")
  }

  static func raggedRow(expected: Int, found: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "ragged-row", expected: "\(expected) cells", found: "\(found)",
      message: "The row is not as long as the header.")
  }

  static let unterminatedQuote = DataDiagnostic(
    code: "invalid-quoting", message: "The quote that begins here never ends.",
    suggestion: "end the cell with a quote; a quote inside it is written twice")

  static let textAfterQuote = DataDiagnostic(
    code: "invalid-quoting", message: "Something follows the quote that ends the cell.",
    suggestion: "a quote inside a quoted cell is written twice")

  static let unescapedQuote = DataDiagnostic(
    code: "invalid-quoting", message: "There is a quote inside a cell that begins without one.",
    suggestion: "put the cell in quotes, and write the quote inside it twice")

  static let notUTF8 = DataDiagnostic(code: "invalid-utf8", message: "This is not UTF-8.")

  static func notAnObject(_ node: JSONNode) -> DataDiagnostic {
    DataDiagnostic(
      code: "wrong-type", expected: "an object with a member for each layer", found: node.summary,
      message: "A line is one example.")
  }
}

extension DataDiagnostic {
  init(_ error: JSONError) {
    self.init(
      code: error.code.rawValue, expected: error.expected, found: error.found,
      message: "This is not the JSON that was expected.", suggestion: error.suggestion)
  }

  init(_ error: ModelError) {
    if case .invalidJSON(let fault) = error.reason {
      self.init(fault)
    } else {
      self.init(code: error.code, message: error.message)
    }
  }
}

extension Double {
  /// The number without a fraction that is nothing.
  var shortestText: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}

extension DataDiagnostic {
  static func sizeMismatch(declared: ImageSize, actual: ImageSize) -> DataDiagnostic {
    DataDiagnostic(
      code: "wrong-size", expected: "\(declared)", found: "\(actual)",
      message: "The picture, shown upright, has another size than its boxes were drawn in.")
  }

  static func invertedBox(_ edges: BoxEdges) -> DataDiagnostic {
    DataDiagnostic(
      code: "reversed-box", found: edges.summary,
      message: "The box ends before it begins.",
      suggestion: "the upper left corner comes first")
  }

  static func emptyBox(_ edges: BoxEdges) -> DataDiagnostic {
    DataDiagnostic(code: "empty-box", found: edges.summary, message: "There is nothing in the box.")
  }

  static func negativeArea(_ area: Double) -> DataDiagnostic {
    DataDiagnostic(
      code: "out-of-range", expected: "0 or more", found: area.shortestText,
      message: "Nothing has such an area.")
  }

  static func boxOutOfBounds(_ edges: BoxEdges, _ size: ImageSize) -> DataDiagnostic {
    DataDiagnostic(
      code: "box-outside", expected: "a box within \(size)", found: edges.summary,
      message: "The box is not within its picture.")
  }

  static func clippedBox(_ edges: BoxEdges, _ size: ImageSize) -> DataDiagnostic {
    DataDiagnostic(
      code: "clipped-box", expected: "a box within \(size)", found: edges.summary,
      message: "The box sticks out of its picture a little and was clipped.", severity: .warning)
  }

  static func unknownLabelsSkipped(_ count: Int, of labels: [String]) -> DataDiagnostic {
    DataDiagnostic(
      code: "left-out", found: labels.prefix(5).joined(separator: ", "),
      message: "\(count) boxes of \(labels.count) labels that are not known were left out.",
      severity: .warning)
  }

  static func unknownSplit(_ name: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-set", message: "There is no set \(quoted(name)).",
      suggestion: hint(name, among: DatasetSplit.allCases.map(\.rawValue)))
  }

  static func conflictingSplits(_ name: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "conflicting-sets", message: "The picture \(quoted(name)) is in another set before.")
  }

  static func nonRectangularBox() -> DataDiagnostic {
    DataDiagnostic(
      code: "not-a-rectangle",
      message: "The four corners are not those of an upright rectangle, from the upper left on.")
  }

  static func wrongCellCount(found: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "ragged-row", expected: "set,path,label and eight cells for corners",
      found: "\(found) cells", message: "This is no row of AutoML's.")
  }

  static func invalidCoordinate(_ text: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "not-a-number", expected: "a number such as 0.25", found: quoted(text),
      message: "This is no number.")
  }

  static func duplicateID(_ id: Int64, of what: String) -> DataDiagnostic {
    DataDiagnostic(code: "duplicate-id", message: "The id \(id) belongs to another \(what) too.")
  }

  static func duplicateImage(_ name: String) -> DataDiagnostic {
    DataDiagnostic(code: "duplicate-picture", message: "The picture \(quoted(name)) is there twice.")
  }

  static func duplicateLabel(_ name: String) -> DataDiagnostic {
    DataDiagnostic(code: "duplicate-label", message: "The label \(quoted(name)) is there twice.")
  }

  static func unknownID(_ id: Int64, of what: String) -> DataDiagnostic {
    DataDiagnostic(code: "unknown-id", message: "There is no \(what) with the id \(id).")
  }

  static func missingKey(_ key: String) -> DataDiagnostic {
    DataDiagnostic(code: "missing-key", message: "There is no '\(key)'.")
  }

  static func wrongType(_ node: JSONNode, expected: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "wrong-type", expected: expected, found: node.summary,
      message: "This is of another kind.")
  }
}
