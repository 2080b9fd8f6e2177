import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOTestSupport

/// The report of a real evaluation: the digits model, float and quantized.
enum RealReport {
  private static let data = "Examples/Data/digits-held-out"
  private static let bundles = ["digits", "digits-quantized"].map {
    "Examples/Bundles/\($0).tiobundle"
  }

  static let report = Result { try makeReport() }

  private static func makeReport() throws -> EvaluationReport {
    EvaluationReport(
      try bundles.map(evaluate),
      command: "tensorio evaluate \(bundles.joined(separator: " ")) \(data)",
      date: "2026-11-22T00:00:00Z", toolVersion: "0.1.0")
  }

  /// Evaluates a bundle; paths in the result are relative to the project's folder.
  private static func evaluate(_ path: String) throws -> EvaluationResult {
    let bundle = try ModelBundle(at: ProjectFiles.path(path))
    let plan = try EvaluationPlan(bundle, dataAt: ProjectFiles.path(data))
    var result = try Evaluation(plan) { (_) throws(ModelError) in try Model(bundle) }.run()
    (result.model.path, result.data) = (path, data)
    return result
  }

  /// Returns the page of the report with the cards of the bundles.
  static func page() throws -> [UInt8] {
    let cards = try bundles.map { path in
      (path, try String(contentsOfFile: ProjectFiles.path(path + "/CARD.md"), encoding: .utf8))
    }
    return ReportPage(try report.get(), cards: Dictionary(uniqueKeysWithValues: cards)).html
  }
}
