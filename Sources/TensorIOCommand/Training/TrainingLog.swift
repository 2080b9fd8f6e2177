internal import TensorIOCore
internal import TensorIOEvaluation

/// What is told of one epoch of training.
struct EpochRecord: Sendable, Equatable {
  let epoch: Int
  /// The mean of the loss.
  let loss: Double?
  /// The mean of the loss over the examples that were held out.
  let validationLoss: Double?
  /// What else the model says of those, by name.
  let metrics: [Figure]

  init(_ summary: EpochSummary) {
    epoch = summary.epoch
    loss = summary.loss
    validationLoss = summary.validation?.loss
    metrics = (summary.validation?.values ?? [:])
      .filter { $0.value != summary.validation?.loss }
      .sorted { $0.key < $1.key }.map { Figure($0.key, $0.value) }
  }
}

/// What was told of a training so far, as much of it as a curve shows.
struct TrainingLog: Sendable {
  /// So many points of a curve can be told apart.
  static let pointLimit = 2000

  private(set) var epochs: [EpochRecord] = []
  /// The losses of steps by the part of the epochs that was over, thinned when they are many.
  private(set) var losses: [(epoch: Double, loss: Double)] = []
  /// How many steps a point stands for.
  private var stride = 1
  private var mean = RunningMean()

  /// Takes the loss of a step, at a moment counted in epochs.
  mutating func add(_ loss: Double, at epoch: Double) {
    mean.add(loss)
    guard mean.count >= stride, let value = mean.value else { return }
    losses.append((epoch, value))
    mean = RunningMean()
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
