public import TensorIOBundle
public import TensorIOCore
import TensorIOData
import TensorIOSystem

/// Evaluates a model on a dataset with ground truth.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// let bundle = try ModelBundle(at: "digits.tiobundle")
/// let plan = try EvaluationPlan(bundle, dataAt: "held-out")
/// let evaluation = try Evaluation(plan) { mode throws(ModelError) in
///   try Model(bundle, options: .init(mode: mode))
/// }
/// for metric in try evaluation.run().metrics { print(metric.name, metric.values) }
/// ```
///
/// Items are read, preprocessed and run concurrently. An item that fails is recorded in
/// ``EvaluationResult/failedItems`` and does not stop the evaluation.
public struct Evaluation: Sendable {
  /// Options of an evaluation.
  public struct Options: Sendable, Hashable {
    /// The number of items to evaluate concurrently.
    public var concurrency = 1
    /// The number of runs per item, for more stable latencies; the last output is scored.
    public var iterations = 1
    /// Whether the distributions of inputs and results are measured, as a reference for later data.
    public var recordsReference = false
    /// The directory for preprocessed images; `nil` writes none.
    package var preprocessedImages: PreprocessedImageDirectory?

    /// Creates options that run each item once, without concurrency.
    public init() {}
  }

  /// How an evaluation continues after an item.
  package enum ProgressDecision: Sendable {
    /// Continue with the next items.
    case proceed
    /// Finish items that have started, but start no more.
    case finishPending
    /// Stop without waiting for results of items that have started.
    case stop
  }

  private struct LoadedPart: Sendable {
    let model: Model
    let inputs: Set<String>
    let evaluator: any Evaluator
  }

  private let plan: EvaluationPlan
  private let parts: [LoadedPart]
  private let options: Options
  /// Collects the numbers of a reference; `nil` if none is measured.
  private let recorder: DriftRecorder?
  /// The file stems of preprocessed images, by item.
  private let stems: [String]

  /// Creates an evaluation.
  ///
  /// - Parameters:
  ///   - plan: The bundle, dataset and metrics.
  ///   - options: The options.
  ///   - opening: Opens the model for a mode; called once for each mode of the plan.
  /// - Throws: The error of `opening`, or a `ModelError` if a metric does not fit its model.
  public init(
    _ plan: EvaluationPlan, _ options: Options = Options(),
    opening: (ModelMode) throws(ModelError) -> Model
  ) throws(ModelError) {
    (self.plan, self.options) = (plan, options)
    var models: [ModelMode: Model] = [:]
    var parts: [LoadedPart] = []
    for part in plan.parts {
      let model: Model
      if let opened = models[part.mode] { model = opened } else { model = try opening(part.mode) }
      models[part.mode] = model
      let evaluator = try plan.costed(part.makeEvaluator(model))
      parts.append(LoadedPart(model: model, inputs: part.inputs, evaluator: evaluator))
    }
    guard plan.costs == nil || parts.contains(where: { $0.evaluator is any CostedEvaluator }) else {
      throw ModelError(
        .input,
        .unmetRequirement(
          "costs of errors require data with labels, or with boxes or masks of objects"))
    }
    self.parts = parts
    recorder =
      options.recordsReference
      ? parts.last.map { DriftRecorder($0.model, count: plan.count) } : nil
    stems = options.preprocessedImages == nil ? [] : Self.stems(of: plan.data)
  }

  private static func stems(of data: EvaluationData) -> [String] {
    var names = UniqueFileStems()
    return (0..<data.items.count).map { names.stem(of: data.reference(at: $0).name) }
  }

  /// The number of items.
  public var count: Int { plan.data.items.count }

  /// Evaluates all items.
  ///
  /// - Returns: The metrics over all items, and the items that failed.
  /// - Throws: A `ModelError` if a metric cannot be computed.
  public func run() throws(ModelError) -> EvaluationResult {
    try run(log: nil)
  }

  /// Evaluates all items that the log does not contain yet, and returns the result of all.
  ///
  /// - Parameters:
  ///   - log: A log that records each item and contains those of an interrupted evaluation.
  ///   - progress: Called after each item, in order; its return value decides how to continue.
  /// - Returns: The result of all evaluated items, including those in the log.
  /// - Throws: The error of `progress`, or a `ModelError` if the log cannot be written or a
  ///   metric cannot be computed.
  package func run(
    log: EvaluationLog? = nil,
    progress: (EvaluatedItem) throws(ModelError) -> ProgressDecision = { _ in .proceed }
  ) throws(ModelError) -> EvaluationResult {
    let memory = MemorySampler()
    memory.start()
    defer { memory.stop() }
    let firstRun = warmUp(log)
    var accumulator = EvaluationAccumulator(parts.map(\.evaluator))
    let recorded = log?.completedItems ?? [:]
    let pending = (0..<count).filter { recorded[$0] == nil }
    for index in recorded.keys.sorted() where index < count {
      if let item = recorded[index] {
        try accumulator.add(item, at: plan.reference(at: index))
      }
    }
    let recordedCount = accumulator.count
    let clock = ContinuousClock()
    let start = clock.now
    try OrderedParallelMap.run(pending.count, threads: options.concurrency) {
      evaluate(pending[$0])
    } deliver: { (_, item) throws(ModelError) in
      try log?.append(item, summary: summary(of: item))
      try accumulator.add(item, at: plan.reference(at: item.index))
      return OrderedParallelMap.Decision(try progress(item))
    }
    memory.stop()
    var result = accumulator.result(
      plan, elapsed: clock.now - start, runCount: accumulator.count - recordedCount)
    result.performance.firstRunMilliseconds = firstRun?.milliseconds
    result.performance.peakMemoryBytes = memory.peakBytes
    result.performance.concurrency = options.concurrency
    if let recorder { result.reference = try? DriftReference(DriftSample(recorder)) }
    return result
  }

  /// Returns the result of the items of a log, without running the model.
  ///
  /// - Throws: A `ModelError` if the items are of another kind of model.
  package func result(replaying items: [EvaluatedItem]) throws(ModelError) -> EvaluationResult {
    let references = (0..<count).map { plan.reference(at: $0) }
    let known = Dictionary(references.map { ($0.name, $0) }) { first, _ in first }
    var accumulator = EvaluationAccumulator(parts.map(\.evaluator))
    for item in items {
      let unknown = ItemReference(index: item.index, name: item.name, imagePath: nil)
      try accumulator.add(item, at: known[item.name] ?? unknown)
    }
    return accumulator.result(plan, elapsed: .zero, runCount: 0)
  }

  /// Runs the first item and returns the duration, since a model's first run is slower.
  private func warmUp(_ log: EvaluationLog?) -> Duration? {
    // A text takes so long that the first one is no slower.
    if case .prompts = plan.data { return nil }
    guard let part = parts.last, count > 0, (log?.completedItems.count ?? 0) < count,
      let example = try? plan.data.example(at: 0)
    else { return nil }
    var timings = Timings()
    _ = try? part.model.run(example.input(of: part.inputs), timings: &timings)
    return timings.total
  }

  /// Returns the summary of an item that did not fail.
  private func summary(of item: EvaluatedItem) -> ItemSummary? {
    guard case .scored(let scores, _) = item.outcome else { return nil }
    return parts.map(\.evaluator).summary(of: scores)
  }

  private func evaluate(_ index: Int) -> EvaluatedItem {
    let reference = plan.data.reference(at: index)
    do throws(ModelError) {
      return try evaluate(plan.data.example(at: index))
    } catch {
      return EvaluatedItem(
        index: index, name: reference.name, outcome: .failed(FailedItem(reference.name, error)))
    }
  }

  private func evaluate(_ example: EvaluationExample) throws(ModelError) -> EvaluatedItem {
    var scores: [ItemScore] = []
    var runs: [Timings] = []
    var outputs: [ModelMode: ModelOutput] = [:]
    try writePreprocessedImages(example)
    for part in parts {
      let output: ModelOutput
      if let cached = outputs[part.model.mode] {
        output = cached
      } else {
        output = try run(part, example, &runs)
        outputs[part.model.mode] = output
      }
      scores.append(try part.evaluator.score(output, of: example))
    }
    recordReference(example, outputs)
    return EvaluatedItem(
      index: example.item.index, name: example.item.name,
      outcome: .scored(scores, runs))
  }

  /// Measures the input and the output of the model that is timed.
  private func recordReference(
    _ example: EvaluationExample, _ outputs: [ModelMode: ModelOutput]
  ) {
    guard let recorder, let part = parts.last, let output = outputs[part.model.mode] else { return }
    let input = recorder.features.prepared(example.input(of: part.inputs), for: part.model)
    recorder.record(input, output, at: example.item.index)
  }

  /// Writes the preprocessed images of the model that is timed.
  private func writePreprocessedImages(_ example: EvaluationExample) throws(ModelError) {
    guard let directory = options.preprocessedImages, let part = parts.last else { return }
    let stem = stems[example.item.index]
    try directory.write(example.input(of: part.inputs), of: part.model, stem: stem)
  }

  private func run(
    _ part: LoadedPart, _ example: EvaluationExample, _ runs: inout [Timings]
  ) throws(ModelError) -> ModelOutput {
    let input = example.input(of: part.inputs)
    var output = ModelOutput.empty
    runs = []  // only the model that runs last is timed
    for _ in 0..<max(1, options.iterations) {
      var timings = Timings()
      output = try part.evaluator.run(
        part.model, on: input, of: example, timings: &timings)
      runs.append(timings)
    }
    return output
  }
}

extension EvaluationPlan {
  /// Returns an evaluator that knows what errors cost.
  fileprivate func costed(_ evaluator: any Evaluator) throws(ModelError) -> any Evaluator {
    guard let costs, var costed = evaluator as? any CostedEvaluator else { return evaluator }
    try costed.use(costs)
    return costed
  }
}

extension EvaluationExample {
  /// Returns the named inputs of a model, or all of them if no names are given.
  fileprivate func input(of names: Set<String>) -> ModelInput {
    names.isEmpty ? input : input.restricted(to: names)
  }
}

extension OrderedParallelMap.Decision {
  fileprivate init(_ decision: Evaluation.ProgressDecision) {
    switch decision {
    case .proceed: self = .proceed
    case .finishPending: self = .finishPending
    case .stop: self = .stop
    }
  }
}
