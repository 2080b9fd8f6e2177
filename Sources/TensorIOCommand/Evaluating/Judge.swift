internal import TensorIOCore

/// One figure that sums up how good a model is, or one for each element of an output.
struct Metric: Sendable, Equatable {
  let name: String
  let values: [Double]

  init(_ name: String, _ value: Double) {
    self.init(name, values: [value])
  }

  init(_ name: String, values: [Double]) {
    self.name = name
    self.values = values
  }
}

/// Sums up what a model says of examples whose right answers are known.
protocol Judge {
  /// Takes the answer to an example into account.
  mutating func add(_ output: ModelOutput, to item: [String: LayerValue]) throws(ModelError)

  /// What there is to say of all examples so far.
  var metrics: [Metric] { get }

  /// What there is to say of each label; nothing where there are no labels.
  var classes: [ClassTally] { get }
}

extension Judge {
  var classes: [ClassTally] { [] }
}

/// How often a label was right, and was found.
struct ClassTally: Sendable, Equatable {
  let label: String
  var count = 0
  var correct = 0

  /// The share of the label's examples that were found.
  var top1: Double { Double(correct) / Double(count) }
}

/// A mean that never sums up more than it has to.
struct Mean: Sendable, Equatable {
  private(set) var count = 0
  private(set) var value = 0.0

  mutating func add(_ next: Double) {
    count += 1
    value += (next - value) / Double(count)
  }
}
