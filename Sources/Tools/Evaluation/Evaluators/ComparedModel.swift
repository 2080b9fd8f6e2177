import TensorIOBundle
import TensorIOCore
import TensorIOTasks

/// A model whose results are compared with a kind of ground truth, as its task says.
struct ComparedModel: Sendable {
  private let task: any ModelTask
  private let truth: TaskTruth

  /// Finds the task of a model: the declared one, or else the first that can be compared with the truth and finds its
  /// outputs.
  ///
  /// - Throws: A ``ModelError`` if the model lacks the outputs of the task.
  init(_ model: Model, _ truth: TaskTruth) throws(ModelError) {
    let description = model.bundle.description
    let declared = TaskRegistry.shared.format(for: description)?.task
    let candidates = [declared].compactMap(\.self) + TaskRegistry.shared.tasks
    let type = candidates.first { $0.truths(for: description).contains(truth) }
    guard let type else {
      throw ModelError(.bundle, .unsupported("comparing results with \(truth)"), file: model.bundle.path)
    }
    (task, self.truth) = (try type.init(model), truth)
  }

  /// Returns how results are compared, with settings of the bundle overridden.
  ///
  /// - Parameters:
  ///   - options: The settings.
  ///   - read: Returns the part of the comparison that is wanted; `nil` if it is another one.
  /// - Returns: The part.
  /// - Throws: A ``ModelError`` if the task cannot be compared like that.
  func comparison<Value>(
    _ options: ResultOptions = ResultOptions(), _ read: (TaskComparison) -> Value?
  ) throws(ModelError) -> Value {
    var task = task
    task.apply(options)
    if let value = task.comparison(with: truth).flatMap(read) { return value }
    throw ModelError(.bundle, .unsupported("comparing results of the task with \(truth)"))
  }

  /// Returns what reads boxes, and the bundle's minimum score.
  func boxes(
    _ options: ResultOptions = ResultOptions()
  ) throws(ModelError) -> (minimumScore: Float, read: TaskComparison.Reading<[Detection]>) {
    try comparison(options) { if case .boxes(let score, let read) = $0 { (score, read) } else { nil } }
  }

  /// Returns what reads masks of objects, and the bundle's minimum score.
  func masks(
    _ options: ResultOptions = ResultOptions()
  ) throws(ModelError) -> (minimumScore: Float, read: TaskComparison.Reading<[InstanceMask]>) {
    try comparison(options) { if case .masks(let score, let read) = $0 { (score, read) } else { nil } }
  }

  /// Returns what reads vectors, and how they are compared.
  func embeddings() throws(ModelError) -> (
    options: EmbeddingOptions, read: TaskComparison.Reading<Embedding>
  ) {
    try comparison { if case .embeddings(let options, let read) = $0 { (options, read) } else { nil } }
  }
}

extension ResultOptions {
  /// Options that select results by their scores, whatever the bundle's settings are.
  static func results(minimumScore: Float, top: Int? = nil) -> ResultOptions {
    var options = ResultOptions()
    (options.threshold, options.top) = (minimumScore, top)
    return options
  }
}
