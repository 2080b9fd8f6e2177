internal import TensorIOCore

/// Judges numbers by how far they are from the right ones.
struct NumberJudge: Judge {
  /// The outputs, and the values of the data that they should be.
  let pairs: [(output: String, truth: String)]

  private var absolute = Mean()
  private var squared = Mean()
  private var truth = Mean()
  private var truthSquares = 0.0

  init(_ pairs: [(output: String, truth: String)]) {
    self.pairs = pairs
  }

  mutating func add(
    _ output: ModelOutput, to item: [String: LayerValue]
  ) throws(ModelError) {
    for (name, truth) in pairs {
      guard case .numbers(let found) = try output[name], case .numbers(let right) = item[truth]
      else {
        throw ModelError(.output, .unsupported("comparing \(name) with a number"), layer: name)
      }
      guard found.count == right.count else {
        throw ModelError(
          .output, .wrongCount(expected: right.count, actual: found.count), layer: name)
      }
      for (found, right) in zip(found.doubles, right.doubles) { add(found, right) }
    }
  }

  private mutating func add(_ found: Double, _ right: Double) {
    absolute.add(abs(found - right))
    squared.add((found - right) * (found - right))
    // Welford's way: squares of differences from a mean that moves.
    let before = right - truth.value
    truth.add(right)
    truthSquares += before * (right - truth.value)
  }

  var metrics: [Metric] {
    guard absolute.count > 0 else { return [] }
    let errors = [Metric("mae", absolute.value), Metric("rmse", squared.value.squareRoot())]
    guard truthSquares > 0 else { return errors }
    return errors + [Metric("r2", 1 - squared.value * Double(squared.count) / truthSquares)]
  }
}
