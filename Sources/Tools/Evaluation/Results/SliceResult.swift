import TensorIOCore

/// The metrics of a part of the items, such as those from one site.
public struct SliceResult: Sendable, Hashable {
  /// The name in reports and gates: `site=A`, or `site=A,device=scanner` for two attributes.
  public var name: String
  /// The number of items.
  public var count: Int
  /// The metrics of the items, with intervals.
  public var metrics: [MetricValue]

  /// Creates the result of a slice.
  public init(name: String, count: Int, metrics: [MetricValue]) {
    (self.name, self.count, self.metrics) = (name, count, metrics)
  }
}

/// A slice whose items are worse than the others, or got worse, by more than chance.
package struct SliceFinding: Sendable, Hashable {
  /// The slice and its metrics.
  package var slice: SliceResult
  /// What was compared: `accuracy`, `loss` or, with a baseline, `regressions`.
  package var measure: String
  /// The measure of the slice.
  package var value: Double
  /// The measure of the items that it was compared with.
  package var reference: Double
  /// The probability of such a difference without a cause, after allowing for the number of slices that were tested.
  package var probability: Double

  /// Creates a finding.
  package init(
    slice: SliceResult, measure: String, value: Double, reference: Double, probability: Double
  ) {
    (self.slice, self.measure, self.value) = (slice, measure, value)
    (self.reference, self.probability) = (reference, probability)
  }
}

/// The slices in which a model is worse than elsewhere, or than a baseline.
package struct SliceFindings: Sendable, Hashable {
  /// The slices, the most certain first.
  package var findings: [SliceFinding] = []
  /// The number of slices that were tested.
  package var testedCount = 0

  /// Creates findings.
  package init(_ findings: [SliceFinding] = [], testedCount: Int = 0) {
    (self.findings, self.testedCount) = (findings, testedCount)
  }

  /// The findings as a sentence for each.
  package var sentences: [String] {
    let count = "\(testedCount) slice\(testedCount == 1 ? "" : "s")"
    guard !findings.isEmpty else {
      return testedCount > 0 ? ["\(count) tested, none is worse by more than chance"] : []
    }
    return findings.map { "\($0.sentence), of \(count) tested" }
  }
}

extension SliceFinding {
  /// The finding in words.
  package var sentence: String {
    let items = "\(slice.count) item\(slice.count == 1 ? "" : "s")"
    let facts =
      switch measure {
      case Self.accuracy:
        "\(percent(value)) correct, \(percent(reference)) in the others"
      case Self.regressions:
        "\(value.compactText) items got worse, \(reference.compactText) better"
      default: "mean loss \(value.compactText), \(reference.compactText) in the others"
      }
    return "\(slice.name) (\(items)): \(facts); p \(probability.relationText)"
  }

  private func percent(_ value: Double) -> String { MetricValue.Unit.fraction.format(value) }

  static let accuracy = "accuracy"
  static let loss = "loss"
  static let regressions = "regressions"
}

extension Double {
  /// A probability with few digits.
  package var probabilityText: String { self < 0.0001 ? "< 0.0001" : formatted(decimals: 4) }

  /// What a probability is equal to, or less than.
  var relationText: String { self < 0.0001 ? probabilityText : "= \(probabilityText)" }
}
