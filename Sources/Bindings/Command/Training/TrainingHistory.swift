import TensorIOCore
import TensorIODrawing
import TensorIOEvaluation
import TensorIOTraining

/// The results of one epoch of training.
struct EpochRecord: Sendable, Equatable {
  /// The number of the epoch, from 1.
  let epoch: Int
  /// The mean training loss.
  let loss: Double?
  /// The mean loss of the validation examples.
  let validationLoss: Double?
  /// The other outputs for the validation examples, by name.
  let metrics: [MetricValue]

  init(_ summary: EpochSummary) {
    epoch = summary.epoch
    loss = summary.loss
    validationLoss = summary.validation?.loss
    metrics = (summary.validation?.means ?? [:])
      .filter { $0.value != summary.validation?.loss }
      .sorted { $0.key < $1.key }.map { MetricValue($0.key, $0.value) }
  }
}

/// The losses of a training so far, downsampled for a chart.
struct TrainingHistory: Sendable {
  /// The maximum number of points of a curve.
  static let maxPoints = 2000

  private(set) var epochs: [EpochRecord] = []
  /// The losses of steps by time in epochs, averaged over several steps if there are many.
  private(set) var losses: [(epoch: Double, loss: Double)] = []
  /// The number of steps per point.
  private var stepsPerPoint = 1
  private var mean = RunningMean()

  /// Adds the loss of a step, at a time in epochs.
  mutating func add(_ loss: Double, at epoch: Double) {
    mean.add(loss)
    guard mean.count >= stepsPerPoint, let value = mean.value else { return }
    losses.append((epoch, value))
    mean = RunningMean()
    if losses.count >= Self.maxPoints { downsample() }
  }

  /// Adds the results of an epoch.
  mutating func add(_ epoch: EpochRecord) { epochs.append(epoch) }

  private mutating func downsample() {
    stepsPerPoint *= 2
    losses = Swift.stride(from: 1, to: losses.count, by: 2).map { index in
      (losses[index].epoch, (losses[index - 1].loss + losses[index].loss) / 2)
    }
  }
}

/// A chart of the losses of a training.
struct LossCurve {
  let title: String
  let history: TrainingHistory

  /// Throws an error if a chart cannot be drawn or its file name is invalid.
  static func check(_ path: String) throws(OperationError) {
    try ChartFile.validatePath(path, example: "loss.png")
  }

  /// Writes the chart to a file.
  func write(to path: String) throws(OperationError) {
    try ChartFile.write(chart, to: path)
  }

  /// The chart: step losses as a thin line, epoch means as a bold line in the middle of each epoch,
  /// and validation losses at the end of each epoch.
  private var chart: Chart {
    var series = [
      Chart.Series(
        points: history.losses.map { .init($0.epoch, $0.loss) }, style: .background),
      Chart.Series("training", points: points(\.loss, offset: -0.5), style: .lineWithDots),
    ]
    if history.epochs.contains(where: { $0.validationLoss != nil }) {
      series.append(
        Chart.Series(
          "validation", points: points(\.validationLoss), colorIndex: 1, style: .lineWithDots))
    }
    return Chart(
      title,
      .plot(
        Chart.Plot(
          horizontal: Chart.Axis("epoch", scale: .integers),
          vertical: Chart.Axis("loss", range: .valuesAndNearbyZero),
          marks: series.map { .line($0) })))
  }

  private func points(_ loss: (EpochRecord) -> Double?, offset: Double = 0) -> [Chart.Point] {
    history.epochs.map { .init(Double($0.epoch) + offset, loss($0) ?? .nan) }
  }
}
