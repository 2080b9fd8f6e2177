public import TensorIOBundle
public import TensorIOCore
package import TensorIOJSON
import TensorIOSystem

/// How much a metric falls when the values of a number are exchanged between the items of labeled data.
public struct PermutationImportance: Sendable, Hashable {
  /// A number of the input.
  public struct Row: Sendable, Hashable {
    /// The name of the number.
    public let name: String
    /// The mean fall of the metric; for an error, its mean rise.
    public let importance: Double
    /// The standard deviation over the repeats.
    public let deviation: Double
  }

  /// Options of the measurement.
  public struct Options: Sendable, Hashable {
    /// The name of the metric; `nil` for the main one of the data.
    public var metric: String?
    /// The number of times that each number is exchanged.
    public var repeats = 5
    /// The maximum number of items, spread over the data.
    public var maxItems = 1000
    /// The number of runs at the same time.
    public var concurrency = 1

    /// Creates options for the main metric.
    public init() {}
  }

  /// The names of metrics, the one that is used first.
  private static let preferredMetrics = ["top1", "r2", "accuracy"]
  /// The number of inputs that are run together.
  private static let batchSize = 64
  /// The seed of the exchanges.
  private static let seed: UInt64 = 50

  /// The metric.
  public let metric: String
  /// The value of the metric on the data.
  public let value: Double
  /// The number of items.
  public let count: Int
  /// The numbers, the most important first.
  public let rows: [Row]

  /// Measures the importance of the numbers of a model's inputs.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - plan: The data and its metrics.
  ///   - options: The options.
  /// - Throws: A `ModelError` if the model takes no numbers, the data has no such metric, or a run fails.
  public init(
    of model: Model, on plan: EvaluationPlan, _ options: Options = Options()
  ) throws(ModelError) {
    guard let part = plan.parts.last, part.mode == model.mode else {
      throw ModelError(.bundle, .unsupported("the importance of numbers in this mode"))
    }
    let total = plan.count
    let count = min(total, options.maxItems)
    var examples: [EvaluationExample] = []
    var inputs: [NamedInputs] = []
    for index in 0..<count {
      let example = try plan.data.example(at: index * total / count)
      examples.append(example)
      let names = Set(model.callerInputs.map(\.name))
      inputs.append(try NamedInputs(example.input.restricted(to: names), of: model))
    }
    let table = inputs.map { $0.numbers.map(\.value) }
    guard let names = inputs.first?.numbers.map(\.name), !names.isEmpty,
      table.allSatisfy({ $0.count == names.count })
    else {
      throw ModelError(
        .input,
        .unmetRequirement("the importance of numbers requires a table with numbers as the inputs"))
    }
    let evaluator = try part.makeEvaluator(model)
    func measured(_ table: [[Double]]) throws(ModelError) -> [MetricValue] {
      try Self.metrics(of: model, evaluator, examples, inputs, table, options)
    }
    let base = try measured(table)
    let chosen = try Self.metric(options.metric, among: base)
    metric = chosen.name
    value = chosen.value
    self.count = count
    var rows: [Row] = []
    for (column, name) in names.enumerated() {
      var falls: [Double] = []
      for number in 0..<max(1, options.repeats) {
        let stream = UInt64(column * options.repeats + number)
        let order = Array(0..<count).permuted(by: SplitMix64(seed: Self.seed, stream: stream))
        var exchanged = table
        for row in 0..<count { exchanged[row][column] = table[order[row]][column] }
        guard let changed = try measured(exchanged)[chosen.name]?.value else { continue }
        falls.append(chosen.isError ? changed - chosen.value : chosen.value - changed)
      }
      let mean = falls.mean ?? 0
      let variance =
        falls.isEmpty ? 0 : falls.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(falls.count)
      rows.append(Row(name: name, importance: mean, deviation: variance.squareRoot()))
    }
    self.rows = rows.enumerated().sorted { left, right in
      left.element.importance == right.element.importance
        ? left.offset < right.offset : left.element.importance > right.element.importance
    }.map(\.element)
  }

  /// Runs the model on a table, and returns the metrics.
  private static func metrics(
    of model: Model, _ evaluator: any Evaluator, _ examples: [EvaluationExample],
    _ inputs: [NamedInputs], _ table: [[Double]], _ options: Options
  ) throws(ModelError) -> [MetricValue] {
    var evaluator = evaluator
    let scorer = evaluator
    let count = examples.count
    let chunks = (count + batchSize - 1) / batchSize
    try OrderedParallelMap.run(chunks, threads: options.concurrency) {
      chunk -> Result<[ItemScore], ModelError> in
      Result { () throws(ModelError) in
        let range = chunk * batchSize..<min(count, (chunk + 1) * batchSize)
        let outputs = try model.run(batch: range.map { inputs[$0].with(numbers: table[$0]) })
        var scores: [ItemScore] = []
        for (index, output) in zip(range, outputs) {
          scores.append(try scorer.score(output, of: examples[index]))
        }
        return scores
      }
    } deliver: { (chunk, result) throws(ModelError) -> OrderedParallelMap.Decision in
      for (offset, score) in try result.get().enumerated() {
        try evaluator.add(score, of: examples[chunk * batchSize + offset].item)
      }
      return .proceed
    }
    var result = EvaluationResult(
      model: EvaluatedModel(path: "", name: "", id: "", version: ""), data: "")
    result.count = count
    evaluator.writeReport(into: &result)
    return result.metrics
  }

  private static func metric(
    _ name: String?, among metrics: [MetricValue]
  ) throws(ModelError) -> (name: String, value: Double, isError: Bool) {
    let usable = metrics.filter { $0.value != nil && $0.direction != .neither }
    let preferred = (name.map { [$0] } ?? preferredMetrics).lazy.compactMap { usable[$0] }.first
    guard let metric = preferred ?? (name == nil ? usable.first : nil), let value = metric.value
    else {
      let known = usable.map(\.name).joined(separator: ", ")
      throw ModelError(
        .input,
        .unmetRequirement(
          "the importance of numbers requires a metric of the data: \(known, as: "metrics")"))
    }
    return (metric.name, value, metric.direction == .lower)
  }
}

extension PermutationImportance {
  /// The importances as lines for the terminal.
  package var lines: [String] {
    let cells = rows.map { row in
      [row.name, row.importance.formatted(decimals: 4), row.deviation.formatted(decimals: 4)]
    }
    return [
      "\(metric) is \(value.formatted(decimals: 4)) on \(count) items; without the information of:"
    ]
      + TextTable(["", "worse by", "±"], cells, leadingTextColumns: 1).lines
  }

  /// Writes the members of the importances.
  package func write(to writer: inout JSONWriter) {
    writer.member("method", Explanation.Method.permutation.rawValue)
    writer.member("metric", metric)
    writer.member("value", value)
    writer.member("items", count)
    writer.member("parts", objects: rows) { writer, row in
      writer.member("name", row.name)
      writer.member("importance", row.importance)
      writer.member("deviation", row.deviation)
    }
  }
}
