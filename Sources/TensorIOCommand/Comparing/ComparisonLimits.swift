internal import TensorIOCore
internal import TensorIOEvaluation

/// How far apart two models may be.
struct ComparisonLimits {
  /// The largest difference of two numbers.
  let tolerance: Double?
  /// The share of answers that are the same.
  let agreement: Double?

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    tolerance = try arguments.number(CompareVerb.tolerance)
    agreement = try arguments.number(CompareVerb.agreement)
    guard tolerance ?? 0 >= 0 else { throw .usage("--tolerance takes a number from 0 up") }
    guard (0...1).contains(agreement ?? 0) else {
      throw .usage("--agreement takes a number from 0 to 1")
    }
  }

  /// Says what is beyond the limits, and whether nothing is.
  func check(_ result: ComparisonResult, _ console: Console) -> Bool {
    let findings = [excess(result), shortfall(result)].compactMap(\.self)
    for finding in findings {
      console.fail(CommandFailure("fell-short", finding, exit: .fellShort))
    }
    return findings.isEmpty
  }

  private func excess(_ result: ComparisonResult) -> String? {
    guard let tolerance, result.largest > tolerance else { return nil }
    return
      "the largest difference is \(result.largest.differenceText), --tolerance allows \(tolerance)"
  }

  private func shortfall(_ result: ComparisonResult) -> String? {
    guard let agreement, result.agreement ?? 0 < agreement else { return nil }
    return "\(result.agreed) of \(result.count) answers are the same, --agreement wants "
      + "a share of \(agreement)"
  }
}
