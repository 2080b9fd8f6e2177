import TensorIOBundle
import TensorIOCore
import TensorIOData

/// Scores the outputs of a model on one kind of dataset.
///
/// Outputs are scored concurrently; the scores are added in the order of the items, so that the
/// metrics do not depend on the number of threads.
protocol Evaluator: Sendable {
  /// Runs the model on an item; by default, on its input.
  func run(
    _ model: Model, on input: ModelInput, of example: EvaluationExample, timings: inout Timings
  ) throws(ModelError) -> ModelOutput

  /// Scores the output for one item.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore

  /// Returns the ground truth and the prediction of an item; `nil` if they have no short form.
  func summary(of score: ItemScore) -> ItemSummary?

  /// Adds the score of an item.
  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError)

  /// Returns the metrics of the items so far, for slices and intervals; empty if the items are not independent.
  func itemMetrics() -> [any ItemMetric]

  /// Writes the metrics of all scores so far to a result.
  func writeReport(into result: inout EvaluationResult)
}

extension Evaluator {
  func run(
    _ model: Model, on input: ModelInput, of example: EvaluationExample, timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    try model.run(input, timings: &timings)
  }

  func summary(of score: ItemScore) -> ItemSummary? { nil }

  func itemMetrics() -> [any ItemMetric] { [] }
}

extension [any Evaluator] {
  /// Returns the summary by the evaluator that is timed, or else by the first that has one.
  func summary(of scores: [ItemScore]) -> ItemSummary? {
    zip(self, scores).reversed().lazy.compactMap { $0.summary(of: $1) }.first
  }
}

/// The ground truth and the prediction of an item, for logs and comparisons.
struct ItemSummary: Sendable, Hashable {
  /// A short form of what an item contains.
  enum Value: Sendable, Hashable {
    case label(String)
    case labels([String])
    case numbers([Double])
  }

  let groundTruth: Value
  /// The prediction; `nil` for outputs without a short form, such as embeddings.
  let prediction: Value?
  /// Whether the prediction is correct; `nil` for numbers and texts, which are more or less so.
  var isCorrect: Bool?
  /// The score of the prediction.
  var confidence: Double?
  /// How wrong the prediction is.
  var loss: Double?
}

extension ItemSummary.Value {
  /// The value as one line of text.
  var text: String {
    switch self {
    case .label(let label): label
    case .labels(let labels): labels.joined(separator: ", ")
    case .numbers(let numbers): numbers.map { "\($0)" }.joined(separator: ", ")
    }
  }
}

/// The score of one item, which is sufficient to compute metrics, also after resuming from a log.
package struct ItemScore: Sendable, Hashable {
  /// The values, in an order that the evaluator defines.
  package var values: [Double]
  /// The names of the values, for custom metrics.
  package var names: [String]

  /// Creates a score.
  package init(_ values: [Double], names: [String] = []) {
    (self.values, self.names) = (values, names)
  }
}

extension ItemScore {
  /// The error for values that the evaluator did not write.
  static func malformed(_ item: ItemReference) -> ModelError {
    ModelError(.input, .invalidValue("the recorded score of \(item.name, as: "item") is invalid"))
  }
}

/// A reference to an item of a dataset.
package struct ItemReference: Sendable, Hashable {
  /// The index in the dataset.
  package let index: Int
  /// The name in the dataset.
  package let name: String
  /// The path of the image, if the item has one.
  package let imagePath: String?
  /// The values of the item's attributes by name.
  package var attributes: [String: String] = [:]
}

/// An item of a dataset: the model's input and the ground truth.
struct EvaluationExample: Sendable {
  /// The ground truth of an item.
  enum GroundTruth: Sendable {
    /// The values of layers by name.
    case values([String: LayerValue])
    /// Boxes in pixels of the upright image.
    case boxes([AnnotatedBox])
    /// The class of every pixel.
    case mask(ClassMask)
    /// The expected labels by output.
    case labels([String: [String]])
    /// The boxes of objects in a frame of a sequence.
    case tracks([TrackDataset.Box], sequence: Int)
    /// The correct answers to a question.
    case answers([String])
    /// Texts that could follow a prompt; the index of the right one, `nil` for a text whose probability is measured.
    case continuations(prompt: String, [String], correct: Int?)
    /// What was said in a recording.
    case transcript(String)
    /// The lines of text in an image.
    case lines([TextImages.Line])
    /// The sections of a text with their labels.
    case entities([TaggedSentences.Entity])
  }

  let item: ItemReference
  /// The values of the model's inputs.
  let input: ModelInput
  let groundTruth: GroundTruth
}

/// Functions that find the correct label of an example.
enum GroundTruthLabel {
  /// Returns a function that reads the label from a value: an index, or the index of the maximum.
  static func index(
    inValue name: String
  ) -> @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int {
    { (groundTruth) throws(ModelError) in
      guard case .values(let values) = groundTruth, let value = values[name] else {
        throw ModelError(.input, .invalidValue("the item has no label"), layer: name)
      }
      guard let index = value.labelIndex else {
        let found = String("\(value)".prefix(80))
        throw ModelError(
          .input,
          .invalidValue(
            "expected the index of a label, or a score for each label, found \(found, as: "found")"),
          layer: name)
      }
      return index
    }
  }

  /// Returns a function that looks up the label that a test expects of an output.
  static func expectedIndex(
    of output: String, among labels: [String]
  ) -> @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int {
    { (groundTruth) throws(ModelError) in
      guard case .labels(let expected) = groundTruth,
        let label = expected[output]?.first ?? expected.values.first?.first
      else {
        throw ModelError(.input, .invalidValue("the test has no expected label"), layer: output)
      }
      guard let index = labels.firstIndex(of: label) else {
        throw ModelError(
          .input, .invalidValue("the model has no label '\(label, as: "label")'"), layer: output)
      }
      return index
    }
  }
}

extension LayerValue {
  /// The label that the value encodes: a single index, or the index of the maximum.
  fileprivate var labelIndex: Int? {
    guard case .numbers(let numbers) = self else { return nil }
    let values = numbers.doubles
    guard values.count > 1 else { return values.first.flatMap { Int(exactly: $0) } }
    return values.indices.max { values[$0] < values[$1] }
  }
}
