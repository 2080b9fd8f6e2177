import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOTestSupport

/// A report of models that were really judged: digits, as floats and quantized.
enum RealReport {
  private static let data = "Examples/Data/digits-held-out"
  private static let bundles = ["digits", "digits-quantized"].map {
    "Examples/Bundles/\($0).tiobundle"
  }

  static let report = Result { try judged() }

  private static func judged() throws -> EvaluationReport {
    EvaluationReport(
      try bundles.map(judge),
      command: "tensorio evaluate \(bundles.joined(separator: " ")) \(data)",
      date: "2026-11-22T00:00:00Z", toolVersion: "0.1.0")
  }

  /// Paths stand in the result as whoever is in the project's folder writes them.
  private static func judge(_ path: String) throws -> EvaluationResult {
    let bundle = try ModelBundle(at: ProjectFiles.path(path))
    let plan = try EvaluationPlan(bundle, dataAt: ProjectFiles.path(data))
    var result = try Evaluation(plan) { (_) throws(ModelError) in try Model(bundle) }.run()
    (result.model.path, result.data) = (path, data)
    return result
  }

  /// The page of the report, with the bundles' own cards.
  static func page() throws -> [UInt8] {
    let cards = try bundles.map { path in
      (path, try String(contentsOfFile: ProjectFiles.path(path + "/CARD.md"), encoding: .utf8))
    }
    return ReportPage(try report.get(), cards: Dictionary(uniqueKeysWithValues: cards)).html
  }
}
