import TensorIOBundle
import TensorIOCore
import TensorIOData

/// How verbs open the data that their command line names.
enum DatasetLoader {
  /// The examples at a path; all that is wrong with them is told, a line each.
  static func load(
    _ path: String, for layers: [Layer], labels: [String], _ console: Console
  ) throws(OperationError) -> ExampleDataset {
    try reportingDiagnostics(path, console) { () throws(ModelError) in
      let data = try ExampleDataset(at: path, for: layers, labels: labels)
      for warning in data.warnings { console.info("tensorio: \(path): \(warning)") }
      return data
    }
  }

  /// Does something with data; all that is wrong with it is told, a line each.
  static func reportingDiagnostics<Value>(
    _ path: String, _ console: Console, _ body: () throws(ModelError) -> Value
  ) throws(OperationError) -> Value {
    do throws(ModelError) {
      return try body()
    } catch {
      if case .invalidData(let problems) = error.reason, problems.count > 1 {
        for problem in problems {
          console.printError(OperationError.input(problem.code, "\(path): \(problem)"))
        }
        let count = "\(problems.count) problems"
        throw OperationError(error.code, "\(path): \(count) in the data", exitCode: .invalidInput)
      }
      throw OperationError(error)
    }
  }
}

extension ModelError {
  /// The error of one of many examples, by the name that the user knows it by.
  func locatingItem(in data: ExampleDataset) -> ModelError {
    guard let item, item < data.count else { return self }
    var error = self
    error.item = nil
    error.file = "\(data.path): \(data.name(at: item))"
    return error
  }
}
