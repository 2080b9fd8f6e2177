internal import TensorIO
internal import TensorIOCore
internal import TensorIOData

/// What came of running a model over examples whose right answers are known.
struct Evaluation {
  /// A mode's model at work.
  private struct Part {
    let model: Model
    let names: [String]
    var judge: any Judge
    var latencies = StageLatencies()
  }

  let model: String
  let data: DataSet
  private(set) var count = 0
  private(set) var errors: [CommandFailure] = []
  private(set) var memory: Int?
  private var parts: [Part] = []

  /// Runs all examples; one that fails is told and counted.
  init(
    _ bundle: ModelBundle, _ plan: EvaluationPlan, _ data: DataSet, _ opening: BundleOpening,
    _ console: Console
  ) throws(CommandFailure) {
    model = bundle.path
    self.data = data
    for part in plan.parts {
      let model = try opening.model(bundle, mode: part.mode, console)
      parts.append(Part(model: model, names: part.inputs.map(\.name), judge: part.judge))
    }
    let memory = MemorySampler()
    memory.start()
    run(console)
    memory.stop()
    self.memory = memory.maximum
  }

  private mutating func run(_ console: Console) {
    var progress = Progress(of: data.count, console)
    for index in 0..<data.count {
      do throws(ModelError) {
        try run(index)
      } catch {
        let failure = CommandFailure(error.at(item: index).told(of: data))
        errors.append(failure)
        console.fail(failure)
      }
      progress.advance()
    }
    progress.finish()
  }

  private mutating func run(_ index: Int) throws(ModelError) {
    let item = try data.values(at: index)
    for part in parts.indices {
      let input = item.filter { parts[part].names.contains($0.key) }
      var timings = Timings()
      let output = try parts[part].model.run(ModelInput.named(input), timings: &timings)
      try parts[part].judge.add(output, to: item)
      parts[part].latencies.add(timings)
    }
    count += 1
  }
}

extension Evaluation {
  /// All figures; what a bundle says of itself comes first, and wins.
  var metrics: [Metric] {
    var names: Set<String> = []
    return parts.flatMap(\.judge.metrics).filter { names.insert($0.name).inserted }
  }

  /// The figures of each label.
  var classes: [ClassTally] { parts.flatMap(\.judge.classes) }

  /// How long the stages of a run took.
  var latencies: StageLatencies { parts.last?.latencies ?? StageLatencies() }
}

/// How long each stage of many runs took.
struct StageLatencies {
  private(set) var stages: [(name: String, record: LatencyRecord)] = Timings().stages
    .map { ($0.name, LatencyRecord()) }

  mutating func add(_ timings: Timings) {
    for (index, stage) in timings.stages.enumerated() { stages[index].record.add(stage.duration) }
  }

  /// From call to answer.
  var total: LatencyRecord { stages.last?.record ?? LatencyRecord() }
}
