internal import TensorIOCore

/// Judges what a model says of one kind of data.
///
/// Looking at an answer is work for several threads; summing up happens in the items' order, so that
/// the same data gives the same figures however many threads there are.
protocol Judge: Sendable {
  /// Looks at an answer by itself.
  func judge(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> Judgement

  /// Takes what was seen in an answer into account.
  mutating func add(_ judgement: Judgement, of item: ItemPlace) throws(ModelError)

  /// Writes what there is to say of all answers so far into a result.
  func report(into result: inout EvaluationResult)
}

/// What is kept of an answer: enough to sum up, now or when the evaluation is gone on with.
public struct Judgement: Sendable, Hashable {
  /// What the judge makes of the answer, in its own order.
  public var numbers: [Double]
  /// What the numbers are called, where their order does not say it.
  public var names: [String]

  /// An answer by its numbers.
  public init(_ numbers: [Double], names: [String] = []) {
    (self.numbers, self.names) = (numbers, names)
  }
}

extension Judgement {
  /// The error of numbers that no judge has written so.
  static func unreadable(_ item: ItemPlace) -> ModelError {
    ModelError(.input, .unreadableValue("what was recorded of \(item.name) is something else"))
  }
}

/// Which item of the data it is.
public struct ItemPlace: Sendable, Hashable {
  /// Its number.
  public let index: Int
  /// What the data calls it.
  public let name: String
  /// Where its picture lies; `nil` where it has none.
  public let picture: String?
}
