internal import TensorIOCore
internal import TensorIOData

/// How verbs open the data that their command line names.
enum DataOpening {
  /// The examples at a path; all that is wrong with them is told, a line each.
  static func data(
    _ path: String, for layers: [Layer], labels: [String], _ console: Console
  ) throws(CommandFailure) -> DataSet {
    try telling(path, console) { () throws(ModelError) in
      let data = try DataSet(at: path, for: layers, labels: labels)
      for warning in data.warnings { console.note("tensorio: \(path): \(warning)") }
      return data
    }
  }

  /// Does something with data; all that is wrong with it is told, a line each.
  static func telling<Value>(
    _ path: String, _ console: Console, _ body: () throws(ModelError) -> Value
  ) throws(CommandFailure) -> Value {
    do throws(ModelError) {
      return try body()
    } catch {
      if case .invalidData(let problems) = error.reason, problems.count > 1 {
        for problem in problems {
          console.fail(CommandFailure.input(problem.code, "\(path): \(problem)"))
        }
        let count = "\(problems.count) problems"
        throw CommandFailure(error.code, "\(path): \(count) in the data", exit: .input)
      }
      throw CommandFailure(error)
    }
  }
}

extension ModelError {
  /// The error of one of many examples, by the name that the user knows it by.
  func told(of data: DataSet) -> ModelError {
    guard let item, item < data.count else { return self }
    var error = self
    error.item = nil
    error.file = "\(data.path): \(data.name(at: item))"
    return error
  }
}
