import Foundation
import TensorIO
import TensorIOCore
import TensorIOEvaluation
import TensorIOTestSupport

/// A report of models that were really judged: digits, as floats and quantized.
enum RealReport {
  static let held = ProjectFiles.path("Examples/Data/digits-held-out")
  static let bundles = ["digits", "digits-quantized"].map {
    ProjectFiles.path("Examples/Bundles/\($0).tiobundle")
  }

  static let digits = Result { try judged() }

  private static func judged() throws -> EvaluationReport {
    let results = try bundles.map { path in
      let bundle = try ModelBundle(at: path)
      return try Evaluation(EvaluationPlan(bundle, dataAt: held)) { (_) throws(ModelError) in
        try Model(bundle)
      }.run()
    }
    let names = bundles.map { "Examples/Bundles/" + ($0.split(separator: "/").last ?? "") }
    return EvaluationReport(
      results,
      command: "tensorio evaluate \(names.joined(separator: " ")) Examples/Data/digits-held-out",
      date: "2026-11-22T00:00:00Z", program: "0.1.0")
  }

  /// The page of the report, with the bundles' own cards.
  static func page() throws -> [UInt8] {
    let cards = try bundles.map { path in
      (path, try String(contentsOfFile: path + "/CARD.md", encoding: .utf8))
    }
    return ReportPage(try digits.get(), cards: Dictionary(uniqueKeysWithValues: cards)).html
  }
}
