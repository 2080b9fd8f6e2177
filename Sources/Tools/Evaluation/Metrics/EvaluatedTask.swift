public import TensorIOBundle
public import TensorIOCore
public import TensorIOTasks

/// A task that scores its results itself, with ground truth of its own.
///
/// The forms of a task's results decide which metrics it has on data with boxes, masks, texts and so on. Conform to this
/// protocol if none of the forms fits: every item of a table or of JSON lines is then scored by the task, in `evaluate`,
/// in gates, slices, intervals and reports.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// struct Counting: EvaluatedTask {
///   static let format = TaskFormat("counting", outputs: [.scores])
///   static let groundTruth = [GroundTruthColumn.number("count")]
///
///   private let scores: String
///
///   init(_ model: ModelInfo) throws(ModelError) { scores = try model.output(.scores) }
///
///   func result(of output: ModelOutput) throws(ModelError) -> Int {
///     let scores: [Float] = try output.value(of: self.scores)
///     return scores.count { $0 > 0.5 }
///   }
///
///   func scores(
///     of count: Int, groundTruth: [String: LayerValue]
///   ) throws(ModelError) -> [String: Double] {
///     ["count_error": abs(Double(count) - (groundTruth["count"]?.number ?? .nan))]
///   }
/// }
/// ```
public protocol EvaluatedTask: ModelTask {
  /// The columns of the data that are compared with results.
  static var groundTruth: [GroundTruthColumn] { get }

  /// Returns the scores of one result by metric name.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - groundTruth: The values of the columns by name.
  /// - Returns: The scores; an item that has none for a metric does not count there.
  /// - Throws: A `ModelError` if the result or the ground truth cannot be scored, which fails the item.
  func scores(
    of result: Result, groundTruth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double]

  /// Returns the metrics of all items. The default implementation computes the mean by name.
  func metrics(of items: [[String: Double]]) -> [MetricValue]
}

extension EvaluatedTask {
  /// Returns the mean of each score over the items that have it, sorted by name.
  public func metrics(of items: [[String: Double]]) -> [MetricValue] { .means(of: items) }

  /// Returns the evaluator of a model.
  static func evaluator(of model: Model) throws(ModelError) -> any Evaluator {
    CustomMetricEvaluator(TaskMetric(task: try Self(model.info)))
  }
}

/// The metrics of a task that scores its results itself.
private struct TaskMetric<Task: EvaluatedTask>: CustomMetric {
  let task: Task

  func evaluate(
    _ output: ModelOutput, groundTruth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double] {
    let columns = Set(Task.groundTruth.map(\.layer.name))
    return try task.scores(
      of: task.result(of: output), groundTruth: groundTruth.filter { columns.contains($0.key) })
  }

  func reduce(_ examples: [[String: Double]]) -> [MetricValue] { task.metrics(of: examples) }
}
