internal import TensorIOCore

/// What is wrong with one value, row or file of the data, before it is said where.
struct DataFault: Error, Equatable {
  let code: String
  var expected: String?
  var found: String?
  let message: String
  var suggestion: String?
  var severity = Problem.Severity.error

  /// The fault at a place.
  func at(path: String, line: Int? = nil, column: Int? = nil) -> Problem {
    Problem(
      severity, code: code, path: path, line: line, column: column, expected: expected,
      found: found, message: message, suggestion: suggestion)
  }
}

extension DataFault {
  /// As much of a text as a message shows.
  private static let longestQuotation = 40

  static func quoted(_ text: String) -> String {
    text.count > longestQuotation ? "'\(text.prefix(longestQuotation))…'" : "'\(text)'"
  }

  /// A word that should be one of some others.
  static func hint(_ word: String, among known: [String]) -> String {
    let nearest = Spelling.nearest(to: word, among: known).map { "did you mean '\($0)'?" }
    let shown = known.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    return nearest ?? "known are \(shown)\(known.count > 8 ? ", …" : "")"
  }

  static func unknownLabel(_ name: String, among labels: [String]) -> DataFault {
    DataFault(
      code: "unknown-label", message: "There is no label \(quoted(name)).",
      suggestion: hint(name, among: labels))
  }

  static func labelOutOfRange(_ text: String, count: Int) -> DataFault {
    DataFault(
      code: "label-out-of-range", expected: "a whole number from 0 to \(count - 1)", found: text,
      message: "This is the index of no label.")
  }

  static let strayFile = DataFault(
    code: "stray-file", message: "This is no picture and was left out.", severity: .warning)

  static let unlabelledPicture = DataFault(
    code: "unlabelled-picture", message: "This picture lies in no label's folder.",
    suggestion: "move it into the folder of its label")

  static let missingValue = DataFault(code: "missing-value", message: "There is no value.")

  static let notBase64 = DataFault(
    code: "unreadable-value", message: "What follows base64: is not base64.")

  static func notANumber(_ text: String) -> DataFault {
    DataFault(
      code: "not-a-number", expected: "a number, or a list such as [1,2,3]", found: quoted(text),
      message: "This is no number.")
  }

  static func notFinite(_ value: Double) -> DataFault {
    DataFault(
      code: "not-finite", expected: "finite numbers", found: "\(value)",
      message: "No model learns from this.")
  }

  static func wrongCount(expected: Int, found: Int) -> DataFault {
    DataFault(
      code: "wrong-count", expected: "\(expected)", found: "\(found)",
      message: "These are not as many values as the layer has.")
  }

  static func outOfRange(_ value: Double, _ type: ElementType) -> DataFault {
    DataFault(code: "out-of-range", message: "\(value.shortest) is no \(type).")
  }

  static func duplicateColumn(_ name: String) -> DataFault {
    DataFault(
      code: "duplicate-column", message: "The column \(quoted(name)) is there twice.")
  }

  static func unknownColumn(_ name: String, among names: [String]) -> DataFault {
    DataFault(
      code: "unknown-column", message: "No layer is called \(quoted(name)).",
      suggestion: hint(name, among: names))
  }

  static func missingColumn(_ name: String) -> DataFault {
    DataFault(code: "missing-column", message: "There is nothing for the layer '\(name)'.")
  }

  static func raggedRow(expected: Int, found: Int) -> DataFault {
    DataFault(
      code: "ragged-row", expected: "\(expected) cells", found: "\(found)",
      message: "The row is not as long as the header.")
  }

  static let unterminatedQuote = DataFault(
    code: "invalid-quoting", message: "The quote that begins here never ends.",
    suggestion: "end the cell with a quote; a quote inside it is written twice")

  static let textAfterQuote = DataFault(
    code: "invalid-quoting", message: "Something follows the quote that ends the cell.",
    suggestion: "a quote inside a quoted cell is written twice")

  static let quoteInside = DataFault(
    code: "invalid-quoting", message: "There is a quote inside a cell that begins without one.",
    suggestion: "put the cell in quotes, and write the quote inside it twice")

  static let notUTF8 = DataFault(code: "invalid-utf8", message: "This is not UTF-8.")

  static func notAnObject(_ node: JSONNode) -> DataFault {
    DataFault(
      code: "wrong-type", expected: "an object with a member for each layer", found: node.summary,
      message: "A line is one example.")
  }
}

extension DataFault {
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
  var shortest: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
