public import TensorIOBundle
import TensorIOCore

extension Teacher {
  /// The least number of examples of a class.
  private static let minExampleCount = 2

  /// Fits a classifier to the examples.
  ///
  /// - Returns: The classifier with its report.
  /// - Throws: `ModelError` if there are fewer than two classes, or a class has fewer than two examples.
  public func fit() throws(ModelError) -> TaughtModel {
    try checkExamples()
    let clock = ContinuousClock()
    let start = clock.now
    let known = examples.filter { $0.label != Self.unknownLabel }
    let indices = known.map { classes.firstIndex(of: $0.label) ?? 0 }
    let head = FittedHead(
      known.map(\.embedding), indices, count: classes.count,
      regularization: options.regularization, trained: known.map(\.isTrained))
    let report = TeachingReport(
      self, head, known, indices, duration: clock.now - start)
    return TaughtModel(
      report: report, backbone: backbone, record: record(of: head.regression), head: head)
  }

  /// Returns what is needed to teach a bundle with a classifier again.
  func record(of regression: LogisticRegression) -> TeachingRecord {
    var record = TeachingRecord()
    (record.classes, record.examples) = (classes, examples)
    record.weights = regression.weights.values.map(Float.init)
    record.bias = regression.bias.map(Float.init)
    return record
  }

  /// Throws if there are fewer than two classes.
  func requireTwoClasses() throws(ModelError) {
    guard classes.count > 1 else {
      throw ModelError(
        .input,
        .unmetRequirement(
          "at least two classes are required; there \(classes.isEmpty ? "is none" : "is only '\(classes[0])'")\(skippedText)"
        ))
    }
  }

  /// The number of skipped examples with the reason of the first one, for messages; empty if there are none.
  private var skippedText: String {
    guard let first = skipped.first else { return "" }
    let count = skipped.count == 1 ? "one example was" : "\(skipped.count) examples were"
    return "; \(count) skipped: \(first.name): \(first.error.message)"
  }

  /// Throws if a class has too few examples, or an option is invalid.
  func checkExamples() throws(ModelError) {
    try requireTwoClasses()
    let counts = exampleCounts
    if let index = counts.firstIndex(where: { $0 < Self.minExampleCount }) {
      throw ModelError(
        .input,
        .unmetRequirement(
          "at least two examples of each class are required; '\(classes[index])' has \(counts[index])\(skippedText)"
        ))
    }
    guard let rate = options.unknownRate, !(0..<1).contains(rate) else { return }
    throw ModelError(
      .input, .invalidValue("the rate of unknown inputs must be from 0 to less than 1"))
  }
}
