import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOSystem

/// An earlier evaluation that results are compared with: its report as JSON, or its log.
struct BaselineFile {
  static let flag = Flag(
    "baseline", "FILE", "Compare with an earlier evaluation: FILE.json or its log FILE.ndjson")

  private enum Contents {
    case report([EvaluationResult])
    case log([EvaluatedItem])
  }

  /// The path of the file.
  let path: String
  private let contents: Contents

  init?(_ arguments: ParsedArguments) throws(OperationError) {
    guard let path = arguments.value(Self.flag) else { return nil }
    try self.init(at: path)
  }

  /// Reads a file.
  init(at path: String) throws(OperationError) {
    self.path = path
    contents = try OperationError.rethrowing { () throws(ModelError) in
      guard path.hasSuffix(".ndjson") else {
        let bytes = try FileBytes.read(path, limit: Self.maxBytes, stage: .input)
        do throws(ModelError) {
          return .report(try EvaluationReport(json: bytes).results)
        } catch {
          throw error.in(file: path)
        }
      }
      return .log(try EvaluationLog.items(at: path))
    }
  }

  private static let maxBytes = 1 << 30

  /// Returns the earlier result of a model, which is the only one, or that with the model's identifier.
  func result(for evaluation: Evaluation, of bundle: ModelBundle) throws(OperationError)
    -> EvaluationResult
  {
    switch contents {
    case .log(let items):
      do throws(ModelError) {
        return try evaluation.result(replaying: items)
      } catch {
        throw .usage(
          "--baseline: \(path) is the log of another kind of model or data: \(error.message)")
      }
    case .report(let results):
      let description = bundle.description
      let candidates = results.filter { $0.model.id == description.id }
      guard let result = results.count == 1 ? results[0] : candidates.first else {
        let names = results.map { "'\($0.model.name)'" }.joined(separator: ", ")
        throw .usage(
          "--baseline: \(path) has no result of '\(description.name)'; it has \(names)")
      }
      return result
    }
  }

  /// The result without a model: that of a report, or what a log has of each item.
  var onlyResult: EvaluationResult {
    get throws(OperationError) {
      guard case .report(let results) = contents else {
        return try OperationError.rethrowing { () throws(ModelError) in
          try EvaluationResult(logAt: path)
        }
      }
      guard results.count == 1 else {
        throw .usage("\(path) has the results of \(results.count) models; expected one")
      }
      return results[0]
    }
  }
}
