import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation

/// Compares the inputs and results of a model's latest runs with the bundle's reference.
///
/// Only histograms are kept, so that memory and time do not depend on the number of requests.
package final class DriftMonitor: Sendable {
  /// The drift of a number.
  struct Measure: Sendable {
    /// The name of the number.
    let name: String
    /// The population stability index.
    let index: Double
    /// How much the number differs.
    let level: DriftReport.Level
  }

  /// The histograms of some runs.
  private struct Window: Sendable {
    var count = 0
    /// The counts of the bins of each distribution, and that of missing values at the end.
    var bins: [[Int]]
  }

  private struct State: Sendable {
    var current: Window
    var previous: Window
  }

  /// The number of runs after which the older half of the window is dropped.
  static let halfWindow = 1000
  /// The number of runs from which on drift is measured; chance alone reaches 0.1 with fewer.
  static let minCount = 200

  private let features: DriftFeatures
  private let reference: DriftReference
  /// The distributions of the reference, by the positions of the model's numbers; `nil` for numbers without one.
  private let positions: [Int?]
  private let state: Mutex<State>

  /// Creates the monitor of a model; `nil` if its bundle has no reference of the model.
  ///
  /// - Throws: A `ModelError` if the reference is invalid.
  init?(_ model: Model) throws(ModelError) {
    guard let reference = try DriftReference(of: model.bundle) else { return nil }
    features = DriftFeatures(model)
    let known = Dictionary(
      reference.distributions.enumerated().map { ($1.name, $0) }
    ) { first, _ in first }
    positions = features.features.map { known[$0.name] }
    guard positions.contains(where: { $0 != nil }) else { return nil }
    self.reference = reference
    let empty = Window(
      bins: reference.distributions.map { [Int](repeating: 0, count: $0.counts.count + 1) })
    state = Mutex(State(current: empty, previous: empty))
  }

  /// Returns an input with decoded images, which is measured after its run without decoding it again.
  func prepared(_ input: ModelInput, for model: Model) -> ModelInput {
    features.prepared(input, for: model)
  }

  /// Counts the numbers of a run.
  func record(_ input: ModelInput, _ output: ModelOutput) {
    let numbers = features.reading(input, output, withVector: false).numbers
    var bins: [(distribution: Int, bin: Int)] = []
    bins.reserveCapacity(numbers.count)
    for (number, position) in zip(numbers, positions) {
      guard let position else { continue }
      bins.append((position, reference.distributions[position].bin(of: number)))
    }
    state.withLock { state in
      if state.current.count == Self.halfWindow {
        swap(&state.current, &state.previous)
        state.current.count = 0
        for index in state.current.bins.indices {
          for bin in state.current.bins[index].indices { state.current.bins[index][bin] = 0 }
        }
      }
      state.current.count += 1
      for (distribution, bin) in bins { state.current.bins[distribution][bin] += 1 }
    }
  }

  /// The number of runs in the window, and the drift of each number; none for few runs.
  var current: (count: Int, measures: [Measure]) {
    let state = state.withLock(\.self)
    let count = state.current.count + state.previous.count
    guard count >= Self.minCount else { return (count, []) }
    let measures = positions.compactMap(\.self).map { position in
      let distribution = reference.distributions[position]
      var counts = zip(state.current.bins[position], state.previous.bins[position]).map(+)
      let missing = counts.removeLast()
      let row = DriftReport.Row(distribution, counts: counts, missing: missing)
      return Measure(name: distribution.name, index: row.stability ?? 0, level: row.level)
    }
    return (count, measures)
  }
}
