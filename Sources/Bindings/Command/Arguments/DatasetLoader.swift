import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOTraining

/// Opens the datasets that command lines name.
enum DatasetLoader {
  /// Returns the examples at a path, and prints each warning on its own line.
  ///
  /// - Throws: The error; several diagnostics are printed first, one per line.
  static func load(
    _ path: String, for model: TrainableModel, labels: [String], _ console: Console
  ) throws(OperationError) -> ExampleDataset {
    try reportingDiagnostics(path, console) { () throws(ModelError) in
      let data = try ExampleDataset(
        at: path, for: model.itemInputs, labels: labels, texts: model.textInputs)
      for warning in data.warnings { console.warn("tensorio: \(path): \(warning)") }
      return data
    }
  }

  /// Runs `body`, and prints each diagnostic of a dataset on its own line if there are several.
  static func reportingDiagnostics<Value>(
    _ path: String, _ console: Console, _ body: () throws(ModelError) -> Value
  ) throws(OperationError) -> Value {
    do throws(ModelError) {
      return try body()
    } catch {
      if let diagnostics = error.diagnostics(of: ModelError.invalidData), diagnostics.count > 1 {
        for diagnostic in diagnostics {
          console.printError(OperationError.input(diagnostic.code, "\(path): \(diagnostic)"))
        }
        throw OperationError(
          error.code, "\(path): \(diagnostics.count) errors in the data", exitCode: .invalidInput)
      }
      throw OperationError(error)
    }
  }
}

extension ModelError {
  /// Returns the error with the name of the failed example in place of its index.
  func locatingItem(in data: ExampleDataset) -> ModelError {
    guard let item, item < data.count else { return self }
    var error = self
    error.item = nil
    error.file = "\(data.path): \(data.name(at: item))"
    return error
  }
}
