public import TensorIOCore
internal import TensorIOData

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
    public var workers = 1
    /// How often each item is run, for steadier times; it is judged once.
    public var iterations = 1
    /// Where to show what the model saw of each item; `nil` shows nothing.
    public var seen: SeenInputFolder?

    /// One item after the other, each once.
    public init() {}
  }

  /// What comes next after an item.
  public enum Wish: Sendable {
    /// The next items.
    case more
    /// Only what has begun.
    case rest
    /// Nothing.
    case nothing
  }

  private struct Part: Sendable {
    let model: Model
    let inputs: Set<String>
    let judge: any Judge
  }

  private let plan: EvaluationPlan
  private let parts: [Part]
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
    var parts: [Part] = []
    for part in plan.parts {
      let model: Model
      if let open = models[part.mode] { model = open } else { model = try opening(part.mode) }
      models[part.mode] = model
      parts.append(Part(model: model, inputs: part.inputs, judge: try part.judge(model)))
    }
    self.parts = parts
    stems = options.seen == nil ? [] : Self.stems(of: plan.data)
  }

  private static func stems(of data: EvaluationData) -> [String] {
    var names = StemNames()
    return (0..<data.items.count).map { names.stem(of: data.place(at: $0).name) }
  }

  /// How many items there are.
  public var count: Int { plan.data.items.count }

  /// Runs what has not been recorded yet, records it, and sums up all.
  ///
  /// After each item, in their order, `progress` is told what came of it and says whether to go on.
  public func run(
    recording journal: EvaluationJournal? = nil,
    progress: (EvaluatedItem) throws(ModelError) -> Wish = { _ in .more }
  ) throws(ModelError) -> EvaluationResult {
    let memory = MemorySampler()
    memory.start()
    defer { memory.stop() }
    let first = warmUp(journal)
    var sum = EvaluationSum(parts.map(\.judge))
    let recorded = journal?.recorded ?? [:]
    let open = (0..<count).filter { recorded[$0] == nil }
    for index in recorded.keys.sorted() where index < count {
      if let item = recorded[index] { try sum.add(item, at: plan.data.place(at: index)) }
    }
    let clock = ContinuousClock()
    let start = clock.now
    try OrderedWork.perform(open.count, workers: options.workers) {
      evaluate(open[$0])
    } deliver: { (number, item) throws(ModelError) in
      try journal?.append(item)
      try sum.add(item, at: plan.data.place(at: item.index))
      return OrderedWork.Wish(try progress(item))
    }
    memory.stop()
    var result = sum.result(plan, seconds: clock.now - start, ran: sum.count - recorded.count)
    result.speed.firstRun = first?.milliseconds
    result.speed.memory = memory.maximum
    result.speed.workers = options.workers
    return result
  }

  /// The first run of a model costs more than the others, and is told apart.
  private func warmUp(_ journal: EvaluationJournal?) -> Duration? {
    guard let part = parts.last, count > 0, (journal?.recorded.count ?? 0) < count,
      let example = try? plan.data.example(at: 0)
    else { return nil }
    var timings = Timings()
    _ = try? part.model.run(example.input(of: part.inputs), timings: &timings)
    return timings.total
  }

  private func evaluate(_ index: Int) -> EvaluatedItem {
    let place = plan.data.place(at: index)
    do throws(ModelError) {
      return try evaluate(plan.data.example(at: index))
    } catch {
      return EvaluatedItem(
        index: index, name: place.name, outcome: .failed(FailedItem(place.name, error)))
    }
  }

  private func evaluate(_ example: EvaluationExample) throws(ModelError) -> EvaluatedItem {
    var judgements: [Judgement] = []
    var runs: [Timings] = []
    var outputs: [ModelMode: ModelOutput] = [:]
    try show(example)
    for part in parts {
      let output: ModelOutput
      if let known = outputs[part.model.mode] {
        output = known
      } else {
        output = try run(part, example, &runs)
        outputs[part.model.mode] = output
      }
      judgements.append(try part.judge.judge(output, of: example))
    }
    return EvaluatedItem(
      index: example.place.index, name: example.place.name,
      outcome: .judged(judgements, runs))
  }

  /// Shows what the model that is timed sees of an item.
  private func show(_ example: EvaluationExample) throws(ModelError) {
    guard let seen = options.seen, let part = parts.last else { return }
    let stem = stems[example.place.index]
    try seen.write(example.input(of: part.inputs), of: part.model, stem: stem)
  }

  private func run(
    _ part: Part, _ example: EvaluationExample, _ runs: inout [Timings]
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
    names.isEmpty ? input : input.only(names)
  }
}

extension OrderedWork.Wish {
  fileprivate init(_ wish: Evaluation.Wish) {
    switch wish {
    case .more: self = .more
    case .rest: self = .rest
    case .nothing: self = .nothing
    }
  }
}
