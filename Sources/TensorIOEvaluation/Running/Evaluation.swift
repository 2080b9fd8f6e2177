public import TensorIOBundle
public import TensorIOCore
import TensorIOData
import TensorIOSystem

/// Judges a model by data whose right answers are known.
///
///     let plan = try EvaluationPlan(bundle, dataAt: "held-out")
///     let evaluation = try Evaluation(plan) { _ in try Model(bundle) }
///     let result = try evaluation.run()
///     for figure in result.figures { print(figure.name, figure.values) }
///
/// Items are read, prepared and run by several threads; an item that fails is listed, and the others
/// go on.
public struct Evaluation: Sendable {
  /// How an evaluation goes about its work.
  public struct Options: Sendable, Hashable {
    /// How many items are under way at the same time.
    public var concurrency = 1
    /// How often each item is run, for steadier times; it is judged once.
    public var iterations = 1
    /// Where to show what the model saw of each item; `nil` shows nothing.
    public var preprocessedImages: PreprocessedImageDirectory?

    /// One item after the other, each once.
    public init() {}
  }

  /// What comes next after an item.
  public enum ProgressDecision: Sendable {
    /// The next items.
    case proceed
    /// Only what has begun.
    case finishPending
    /// Nothing.
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
  /// What the files of the items are called, where some are written.
  private let stems: [String]

  /// An evaluation of models that are opened for the plan's modes.
  public init(
    _ plan: EvaluationPlan, _ options: Options = Options(),
    opening: (ModelMode) throws(ModelError) -> Model
  ) throws(ModelError) {
    (self.plan, self.options) = (plan, options)
    var models: [ModelMode: Model] = [:]
    var parts: [LoadedPart] = []
    for part in plan.parts {
      let model: Model
      if let open = models[part.mode] { model = open } else { model = try opening(part.mode) }
      models[part.mode] = model
      parts.append(LoadedPart(model: model, inputs: part.inputs, evaluator: try part.makeEvaluator(model)))
    }
    self.parts = parts
    stems = options.preprocessedImages == nil ? [] : Self.stems(of: plan.data)
  }

  private static func stems(of data: EvaluationData) -> [String] {
    var names = UniqueFileStems()
    return (0..<data.items.count).map { names.stem(of: data.reference(at: $0).name) }
  }

  /// How many items there are.
  public var count: Int { plan.data.items.count }

  /// Runs what has not been recorded yet, records it, and sums up all.
  ///
  /// After each item, in their order, `progress` is told what came of it and says whether to go on.
  public func run(
    log journal: EvaluationLog? = nil,
    progress: (EvaluatedItem) throws(ModelError) -> ProgressDecision = { _ in .proceed }
  ) throws(ModelError) -> EvaluationResult {
    let memory = MemorySampler()
    memory.start()
    defer { memory.stop() }
    let first = warmUp(journal)
    var sum = EvaluationAccumulator(parts.map(\.evaluator))
    let recorded = journal?.completedItems ?? [:]
    let open = (0..<count).filter { recorded[$0] == nil }
    for index in recorded.keys.sorted() where index < count {
      if let item = recorded[index] { try sum.add(item, at: plan.data.reference(at: index)) }
    }
    let clock = ContinuousClock()
    let start = clock.now
    try OrderedParallelMap.run(open.count, threads: options.concurrency) {
      evaluate(open[$0])
    } deliver: { (number, item) throws(ModelError) in
      try journal?.append(item)
      try sum.add(item, at: plan.data.reference(at: item.index))
      return OrderedParallelMap.Decision(try progress(item))
    }
    memory.stop()
    var result = sum.result(plan, elapsed: clock.now - start, runCount: sum.count - recorded.count)
    result.performance.firstRunMilliseconds = first?.milliseconds
    result.performance.peakMemoryBytes = memory.peakBytes
    result.performance.concurrency = options.concurrency
    return result
  }

  /// The first run of a model costs more than the others, and is told apart.
  private func warmUp(_ journal: EvaluationLog?) -> Duration? {
    guard let part = parts.last, count > 0, (journal?.completedItems.count ?? 0) < count,
      let example = try? plan.data.example(at: 0)
    else { return nil }
    var timings = Timings()
    _ = try? part.model.run(example.input(of: part.inputs), timings: &timings)
    return timings.total
  }

  private func evaluate(_ index: Int) -> EvaluatedItem {
    let place = plan.data.reference(at: index)
    do throws(ModelError) {
      return try evaluate(plan.data.example(at: index))
    } catch {
      return EvaluatedItem(
        index: index, name: place.name, outcome: .failed(FailedItem(place.name, error)))
    }
  }

  private func evaluate(_ example: EvaluationExample) throws(ModelError) -> EvaluatedItem {
    var judgements: [ItemScore] = []
    var runs: [Timings] = []
    var outputs: [ModelMode: ModelOutput] = [:]
    try writePreprocessedImages(example)
    for part in parts {
      let output: ModelOutput
      if let known = outputs[part.model.mode] {
        output = known
      } else {
        output = try run(part, example, &runs)
        outputs[part.model.mode] = output
      }
      judgements.append(try part.evaluator.score(output, of: example))
    }
    return EvaluatedItem(
      index: example.item.index, name: example.item.name,
      outcome: .scored(judgements, runs))
  }

  /// Shows what the model that is timed sees of an item.
  private func writePreprocessedImages(_ example: EvaluationExample) throws(ModelError) {
    guard let seen = options.preprocessedImages, let part = parts.last else { return }
    let stem = stems[example.item.index]
    try seen.write(example.input(of: part.inputs), of: part.model, stem: stem)
  }

  private func run(
    _ part: LoadedPart, _ example: EvaluationExample, _ runs: inout [Timings]
  ) throws(ModelError) -> ModelOutput {
    let input = example.input(of: part.inputs)
    var output = ModelOutput.empty
    runs = []  // the model that runs last is the one that is timed
    for _ in 0..<max(1, options.iterations) {
      var timings = Timings()
      output = try part.model.run(input, timings: &timings)
      runs.append(timings)
    }
    return output
  }
}

extension EvaluationExample {
  /// What a model takes of it.
  fileprivate func input(of names: Set<String>) -> ModelInput {
    names.isEmpty ? input : input.restricted(to: names)
  }
}

extension OrderedParallelMap.Decision {
  fileprivate init(_ wish: Evaluation.ProgressDecision) {
    switch wish {
    case .proceed: self = .proceed
    case .finishPending: self = .finishPending
    case .stop: self = .stop
    }
  }
}
