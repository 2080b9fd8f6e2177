internal import TensorIOCore

/// What is found wrong with the data, up to a limit.
struct DataLog {
  private var errors: [Problem] = []
  private(set) var warnings: [Problem] = []

  /// Whether so much is wrong that there is no use in looking for more.
  var isFull: Bool { errors.count >= DataSet.problemLimit }

  /// Notes a fault at a place.
  mutating func add(_ fault: DataFault, path: String, line: Int? = nil, column: Int? = nil) {
    let problem = fault.at(path: path, line: line, column: column)
    switch problem.severity {
    case .error where !isFull: errors.append(problem)
    case .warning where warnings.count < DataSet.problemLimit: warnings.append(problem)
    case .error, .warning: break
    }
  }

  /// Notes that there is nothing, unless it is known why.
  mutating func addEmptiness() {
    guard errors.isEmpty else { return }
    add(DataFault(code: "empty-data", message: "There are no examples."), path: "")
  }

  /// Throws all errors together.
  func check() throws(ModelError) {
    guard !errors.isEmpty else { return }
    let more = Problem(
      .error, code: "too-many-problems", path: "",
      message: "There may be more problems than the \(DataSet.problemLimit) listed.",
      suggestion: "mend those first")
    throw ModelError(.input, .invalidData(errors + (isFull ? [more] : [])))
  }
}
