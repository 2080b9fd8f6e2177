internal import TensorIOCore

/// Where the right label of an example is found.
enum LabelTruth {
  /// In a value of the data: a label's index, or the place of the largest number.
  static func value(
    _ name: String
  ) -> @Sendable (EvaluationExample.Truth) throws(ModelError) -> Int {
    { (truth) throws(ModelError) in
      guard case .values(let values) = truth, let index = values[name]?.labelIndex else {
        throw ModelError(
          .input, .unreadableValue("its label is none of the model's"), layer: name)
      }
      return index
    }
  }

  /// In what a test expects of an output, as text.
  static func expected(
    of output: String, among labels: [String]
  ) -> @Sendable (EvaluationExample.Truth) throws(ModelError) -> Int {
    { (truth) throws(ModelError) in
      guard case .labels(let expected) = truth,
        let label = expected[output]?.first ?? expected.values.first?.first
      else {
        throw ModelError(.input, .unreadableValue("no label is expected"), layer: output)
      }
      guard let index = labels.firstIndex(of: label) else {
        throw ModelError(
          .input, .unreadableValue("the model has no label '\(label)'"), layer: output)
      }
      return index
    }
  }
}

extension LayerValue {
  /// The label that a value of the data names: its index, or the place of the largest number.
  fileprivate var labelIndex: Int? {
    guard case .numbers(let numbers) = self else { return nil }
    let values = numbers.doubles
    guard values.count > 1 else { return values.first.flatMap { Int(exactly: $0) } }
    return values.indices.max { values[$0] < values[$1] }
  }
}
