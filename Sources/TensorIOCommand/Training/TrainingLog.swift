internal import TensorIOCore

/// What is told of one step of training.
struct StepRecord {
  let step: Int
  let epoch: Int
  let loss: Double?
  let outputs: ModelOutput
}

/// What is told of one epoch of training.
struct EpochRecord: Equatable {
  let epoch: Int
  /// The loss of its steps on average.
  let loss: Double?
  /// What the model says of the examples that it was not trained on.
  var validation: [Metric] = []

  /// The loss for the examples that the model was not trained on.
  var validationLoss: Double? { validation.first { $0.name.isLossName }?.values.first }
}

extension String {
  /// Whether an output of this name is what training makes small.
  var isLossName: Bool { lowercased().contains("loss") }
}

/// What was told of a training so far, as much of it as a curve shows.
struct TrainingLog {
  /// So many points of a curve can be told apart.
  private static let pointLimit = 2000

  private(set) var epochs: [EpochRecord] = []
  /// The losses of steps by the part of all epochs that was over, thinned when they are many.
  private(set) var losses: [(epoch: Double, loss: Double)] = []
  /// How many steps a point stands for.
  private var stride = 1
  private var mean = Mean()

  /// Takes the loss of a step, at a moment counted in epochs.
  mutating func add(_ loss: Double, at epoch: Double) {
    mean.add(loss)
    guard mean.count >= stride else { return }
    losses.append((epoch, mean.value))
    mean = Mean()
    if losses.count >= Self.pointLimit { thin() }
  }

  /// Takes an epoch.
  mutating func add(_ epoch: EpochRecord) { epochs.append(epoch) }

  private mutating func thin() {
    stride *= 2
    losses = Swift.stride(from: 1, to: losses.count, by: 2).map { index in
      (losses[index].epoch, (losses[index - 1].loss + losses[index].loss) / 2)
    }
  }
}
