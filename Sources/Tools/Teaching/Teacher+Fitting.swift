public import TensorIOBundle
import TensorIOCore

extension Teacher {
  /// The least number of examples of a class.
  private static let minExampleCount = 2

  /// Fits a classifier to the examples.
  ///
  /// - Returns: The classifier with its report.
  /// - Throws: `ModelError` if there are fewer than two classes, a class has fewer than two examples, or the same input
  ///   has two labels.
  public func fit() throws(ModelError) -> TaughtModel {
    try checkExamples()
    let clock = ContinuousClock()
    let start = clock.now
    let known = examples.filter { $0.label != Self.unknownLabel }
    let indices = known.map { classes.firstIndex(of: $0.label) ?? 0 }
    let head = FittedHead(
      known.map(\.embedding), indices, count: classes.count,
      regularization: options.regularization)
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
          "at least two classes are required; there \(classes.isEmpty ? "is none" : "is only '\(classes[0])'")"
        ))
    }
  }

  private func checkExamples() throws(ModelError) {
    try requireTwoClasses()
    let counts = exampleCounts
    if let index = counts.firstIndex(where: { $0 < Self.minExampleCount }) {
      throw ModelError(
        .input,
        .unmetRequirement(
          "at least two examples of each class are required; '\(classes[index])' has \(counts[index])"
        ))
    }
    guard let rate = options.unknownRate, !(0..<1).contains(rate) else { return }
    throw ModelError(
      .input, .invalidValue("the rate of unknown inputs must be from 0 to less than 1"))
  }
}
