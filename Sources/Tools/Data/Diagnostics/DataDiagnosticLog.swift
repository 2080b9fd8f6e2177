import TensorIOBundle
import TensorIOJSON

/// The diagnostics of a dataset, up to a limit for each severity.
struct DataDiagnosticLog {
  private var errors: [Diagnostic] = []
  private(set) var warnings: [Diagnostic] = []

  /// Whether the maximum number of errors is reached, so that reading can stop.
  var isErrorLimitReached: Bool { errors.count >= ExampleDataset.maxDiagnostics }

  /// Adds a diagnostic at a location.
  mutating func add(
    _ diagnostic: DataDiagnostic, path: String, line: Int? = nil, column: Int? = nil
  ) {
    add(diagnostic.diagnostic(path: path, line: line, column: column))
  }

  /// Adds a diagnostic unless the limit of its severity is reached.
  mutating func add(_ diagnostic: Diagnostic) {
    switch diagnostic.severity {
    case .error where !isErrorLimitReached: errors.append(diagnostic)
    case .warning where !isWarningLimitReached: warnings.append(diagnostic)
    case .error, .warning: break
    }
  }

  /// Returns whether further diagnostics of a severity are discarded.
  private func isLimitReached(for severity: Diagnostic.Severity) -> Bool {
    severity == .error ? isErrorLimitReached : isWarningLimitReached
  }

  private var isWarningLimitReached: Bool { warnings.count >= ExampleDataset.maxDiagnostics }

  /// Adds an error for an empty dataset, unless another error explains it.
  mutating func addEmptyDataError() {
    guard errors.isEmpty else { return }
    add(DataDiagnostic(code: "empty-data", message: "the dataset has no items"), path: "")
  }

  /// All errors, followed by `too-many-diagnostics` if the limit is reached.
  var reportedErrors: [Diagnostic] {
    guard isErrorLimitReached else { return errors }
    let limitReached = Diagnostic(
      .error, code: "too-many-diagnostics", path: "",
      message: "only the first \(ExampleDataset.maxDiagnostics) errors are listed",
      suggestion: "fix these first")
    return errors + [limitReached]
  }

  /// Throws all errors as one `ModelError`, if there are any.
  func throwIfAny() throws(ModelError) {
    guard errors.isEmpty else { throw ModelError(.input, .invalidData(reportedErrors)) }
  }
}

/// A location in a dataset; the line and column of a JSON value are computed on demand.
enum DataLocation: Sendable {
  case text(String, line: Int? = nil, column: Int? = nil)
  /// A value of a JSON document, which is the given line of a file if there is one.
  case value(JSONNode, line: Int? = nil)

  /// Returns a diagnostic at this location.
  func diagnostic(_ diagnostic: DataDiagnostic) -> Diagnostic {
    switch self {
    case .text(let path, let line, let column):
      return diagnostic.diagnostic(path: path, line: line, column: column)
    case .value(let node, let line):
      let position = node.position
      return diagnostic.diagnostic(
        path: node.pointer, line: line ?? position.line, column: position.column)
    }
  }
}

/// A diagnostic and its location.
struct LocatedDiagnostic: Error {
  let diagnostic: DataDiagnostic
  let location: DataLocation

  init(_ diagnostic: DataDiagnostic, at location: DataLocation) {
    (self.diagnostic, self.location) = (diagnostic, location)
  }
}

extension DataDiagnosticLog {
  /// Adds a diagnostic; its location is not computed if the limit is reached.
  mutating func add(_ diagnostic: DataDiagnostic, at location: DataLocation) {
    guard !isLimitReached(for: diagnostic.severity) else { return }
    add(location.diagnostic(diagnostic))
  }

  /// Returns the diagnostic of an item.
  ///
  /// Computing a line and column takes time proportional to the position in the file, so it is done
  /// only for diagnostics that are listed.
  func diagnostic(
    _ diagnostic: DataDiagnostic, at location: DataLocation, item name: String
  ) -> Diagnostic {
    isLimitReached(for: diagnostic.severity)
      ? diagnostic.diagnostic(path: name) : location.diagnostic(diagnostic)
  }

  mutating func add(_ located: LocatedDiagnostic) { add(located.diagnostic, at: located.location) }
}
