internal import TensorIOCore

/// What is found wrong with the data, up to a limit.
struct DataLog {
  private var errors: [Problem] = []
  private(set) var warnings: [Problem] = []

  /// Whether so much is wrong that there is no use in looking for more.
  var isFull: Bool { errors.count >= DataSet.problemLimit }

  /// Notes a fault at a place.
  mutating func add(_ fault: DataFault, path: String, line: Int? = nil, column: Int? = nil) {
    add(fault.at(path: path, line: line, column: column))
  }

  /// Notes a problem, if there is room for it.
  mutating func add(_ problem: Problem) {
    switch problem.severity {
    case .error where !isFull: errors.append(problem)
    case .warning where !isFullOfWarnings: warnings.append(problem)
    case .error, .warning: break
    }
  }

  /// Whether a fault would only be counted, not listed.
  func isFull(of severity: Problem.Severity) -> Bool {
    severity == .error ? isFull : isFullOfWarnings
  }

  private var isFullOfWarnings: Bool { warnings.count >= DataSet.problemLimit }

  /// Notes that there is nothing, unless it is known why.
  mutating func addEmptiness() {
    guard errors.isEmpty else { return }
    add(DataFault(code: "empty-data", message: "There are no examples."), path: "")
  }

  /// All errors, and at their end a word on those that are too many.
  var problems: [Problem] {
    guard isFull else { return errors }
    let more = Problem(
      .error, code: "too-many-problems", path: "",
      message: "There may be more problems than the \(DataSet.problemLimit) listed.",
      suggestion: "mend those first")
    return errors + [more]
  }

  /// Throws all errors together.
  func check() throws(ModelError) {
    guard errors.isEmpty else { throw ModelError(.input, .invalidData(problems)) }
  }
}
