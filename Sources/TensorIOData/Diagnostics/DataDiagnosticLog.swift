import TensorIOBundle
import TensorIOJSON

/// What is found wrong with the data, up to a limit.
struct DataDiagnosticLog {
  private var errors: [Diagnostic] = []
  private(set) var warnings: [Diagnostic] = []

  /// Whether so much is wrong that there is no use in looking for more.
  var isErrorLimitReached: Bool { errors.count >= ExampleDataset.maxDiagnostics }

  /// Notes a fault at a place.
  mutating func add(_ fault: DataDiagnostic, path: String, line: Int? = nil, column: Int? = nil) {
    add(fault.diagnostic(path: path, line: line, column: column))
  }

  /// Notes a problem, if there is room for it.
  mutating func add(_ problem: Diagnostic) {
    switch problem.severity {
    case .error where !isErrorLimitReached: errors.append(problem)
    case .warning where !isWarningLimitReached: warnings.append(problem)
    case .error, .warning: break
    }
  }

  /// Whether a fault would only be counted, not listed.
  func isErrorLimitReached(of severity: Diagnostic.Severity) -> Bool {
    severity == .error ? isErrorLimitReached : isWarningLimitReached
  }

  private var isWarningLimitReached: Bool { warnings.count >= ExampleDataset.maxDiagnostics }

  /// Notes that there is nothing, unless it is known why.
  mutating func addEmptyDataError() {
    guard errors.isEmpty else { return }
    add(DataDiagnostic(code: "empty-data", message: "There are no examples."), path: "")
  }

  /// All errors, and at their end a word on those that are too many.
  var reportedErrors: [Diagnostic] {
    guard isErrorLimitReached else { return errors }
    let more = Diagnostic(
      .error, code: "too-many-problems", path: "",
      message: "There may be more problems than the \(ExampleDataset.maxDiagnostics) listed.",
      suggestion: "mend those first")
    return errors + [more]
  }

  /// Throws all errors together.
  func throwIfAny() throws(ModelError) {
    guard errors.isEmpty else { throw ModelError(.input, .invalidData(reportedErrors)) }
  }
}

/// Where in the data something stands, worked out in lines and columns when somebody asks.
enum DataLocation: Sendable {
  case text(String, line: Int? = nil, column: Int? = nil)
  /// A value of a document, which is a line of a file where one is given.
  case value(JSONNode, line: Int? = nil)

  /// A fault at the place.
  func diagnostic(_ fault: DataDiagnostic) -> Diagnostic {
    switch self {
    case .text(let path, let line, let column):
      return fault.diagnostic(path: path, line: line, column: column)
    case .value(let node, let line):
      let position = node.position
      return fault.diagnostic(
        path: node.pointer, line: line ?? position.line, column: position.column)
    }
  }
}

/// A fault, and where it is.
struct LocatedDiagnostic: Error {
  let diagnostic: DataDiagnostic
  let location: DataLocation

  init(_ fault: DataDiagnostic, at place: DataLocation) {
    (self.diagnostic, self.location) = (fault, place)
  }
}

extension DataDiagnosticLog {
  /// Notes a fault; where there is no room for it, its place is not worked out.
  mutating func add(_ fault: DataDiagnostic, at place: DataLocation) {
    guard !isErrorLimitReached(of: fault.severity) else { return }
    add(place.diagnostic(fault))
  }

  /// What is wrong with an item.
  ///
  /// To say where something stands takes as long as reading up to there, so that it is not done for
  /// more faults than are listed.
  func diagnostic(_ fault: DataDiagnostic, at place: DataLocation, item name: String) -> Diagnostic {
    isErrorLimitReached(of: fault.severity) ? fault.diagnostic(path: name) : place.diagnostic(fault)
  }

  mutating func add(_ fault: LocatedDiagnostic) { add(fault.diagnostic, at: fault.location) }
}
