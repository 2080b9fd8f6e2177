import TensorIOBundle
import TensorIOCore
import TensorIOData

/// Judges what a model says of one kind of data.
///
/// Looking at an answer is work for several threads; summing up happens in the items' order, so that
/// the same data gives the same figures however many threads there are.
protocol Evaluator: Sendable {
  /// Looks at an answer by itself.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore

  /// Takes what was seen in an answer into account.
  mutating func add(_ judgement: ItemScore, of item: ItemReference) throws(ModelError)

  /// Writes what there is to say of all answers so far into a result.
  func writeReport(into result: inout EvaluationResult)
}

/// What is kept of an answer: enough to sum up, now or when the evaluation is gone on with.
public struct ItemScore: Sendable, Hashable {
  /// What the judge makes of the answer, in its own order.
  public var values: [Double]
  /// What the numbers are called, where their order does not say it.
  public var names: [String]

  /// An answer by its numbers.
  public init(_ numbers: [Double], names: [String] = []) {
    (self.values, self.names) = (numbers, names)
  }
}

extension ItemScore {
  /// The error of numbers that no judge has written so.
  static func malformed(_ item: ItemReference) -> ModelError {
    ModelError(.input, .invalidValue("what was recorded of \(item.name) is something else"))
  }
}

/// Which item of the data it is.
public struct ItemReference: Sendable, Hashable {
  /// Its number.
  public let index: Int
  /// What the data calls it.
  public let name: String
  /// Where its picture lies; `nil` where it has none.
  public let imagePath: String?
}

/// An item of the data: what goes into the model, and what should come out.
struct EvaluationExample: Sendable {
  /// What is known to be right.
  enum GroundTruth: Sendable {
    /// Values of layers, by name.
    case values([String: LayerValue])
    /// Boxes, in pixels of the upright picture.
    case boxes([AnnotatedBox])
    /// The class of every pixel.
    case mask(ClassMask)
    /// The labels that outputs are expected to give.
    case labels([String: [String]])
  }

  let item: ItemReference
  /// The values of the model's inputs, by name; a picture whose input is not named has none.
  let input: ModelInput
  let groundTruth: GroundTruth
}

/// Where the right label of an example is found.
enum GroundTruthLabel {
  /// In a value of the data: a label's index, or the place of the largest number.
  static func index(
    inValue name: String
  ) -> @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int {
    { (truth) throws(ModelError) in
      guard case .values(let values) = truth, let index = values[name]?.labelIndex else {
        throw ModelError(
          .input, .invalidValue("its label is none of the model's"), layer: name)
      }
      return index
    }
  }

  /// In what a test expects of an output, as text.
  static func expectedIndex(
    of output: String, among labels: [String]
  ) -> @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int {
    { (truth) throws(ModelError) in
      guard case .labels(let expected) = truth,
        let label = expected[output]?.first ?? expected.values.first?.first
      else {
        throw ModelError(.input, .invalidValue("no label is expected"), layer: output)
      }
      guard let index = labels.firstIndex(of: label) else {
        throw ModelError(
          .input, .invalidValue("the model has no label '\(label)'"), layer: output)
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
