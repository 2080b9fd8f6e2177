public import TensorIOBundle
public import TensorIOCore

/// How the time of a run is divided among the operators of a model.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// let model = try Model(at: "mobilenet.tiobundle")
/// let image = try ImageBuffer(contentsOf: "cat.jpg")
/// let profile = try OperatorProfile(of: model, image.modelInput, runs: 50)
/// for row in profile.operators.prefix(5) { print(row.name, row.share) }
/// ```
///
/// Recording makes runs slower, so the shares are more meaningful than the times. LiteRT records
/// operators; other runtimes and worker processes do not.
public struct OperatorProfile: Sendable {
  /// The time of an operator, or of all operators of a kind.
  public struct Row: Sendable, Hashable {
    /// The name of the operator.
    public let name: String
    /// The index of the operator; `nil` in a row for several operators.
    public let index: Int?
    /// How many operators the row counts.
    public let count: Int
    /// The mean time per run.
    public let duration: Duration
    /// The part of the time of all operators, from 0 to 1.
    public let share: Double
  }

  /// The number of recorded runs.
  public let runCount: Int
  /// The mean time of all operators per run.
  public let duration: Duration
  /// Each operator, in the order in which they run.
  public let operators: [Row]
  /// The operators of the same name together, slowest first.
  public let kinds: [Row]
  /// The operators of the last run.
  public let lastRun: [OperatorEvent]

  /// Runs a model and records its operators.
  ///
  /// - Parameters:
  ///   - model: The model. Its sessions are not used; the profile has one of its own.
  ///   - input: The input of every run.
  ///   - runs: The number of runs to record, at least one.
  /// - Throws: A `ModelError` if a run fails or the runtime does not record operators.
  public init(of model: Model, _ input: ModelInput, runs: Int = 50) throws(ModelError) {
    self.init(try model.operatorEvents(of: input, runs: max(1, runs)))
  }

  /// Creates a profile from the operators of each run.
  init(_ runs: [[OperatorEvent]]) {
    runCount = runs.count
    lastRun = runs.last ?? []
    var totals: [Duration] = []
    for run in runs {
      for (position, event) in run.enumerated() {
        if position == totals.count { totals.append(.zero) }
        totals[position] += event.duration
      }
    }
    let means = totals.map { $0 / max(1, runs.count) }
    let sum = means.reduce(.zero, +)
    duration = sum
    let share = { (part: Duration) in sum > .zero ? part / sum : 0 }
    let events = runs.max { $0.count < $1.count } ?? []
    operators = zip(events, means).map { event, mean in
      Row(name: event.name, index: event.index, count: 1, duration: mean, share: share(mean))
    }
    let groups = Dictionary(grouping: operators, by: \.name)
    kinds = groups.map { name, rows in
      let total = rows.map(\.duration).reduce(.zero, +)
      return Row(
        name: name, index: nil, count: rows.count, duration: total, share: share(total))
    }.sorted { ($1.duration, $0.name) < ($0.duration, $1.name) }
  }
}
