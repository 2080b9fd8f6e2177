import TensorIOCore
import TensorIODrawing
import TensorIOEvaluation
import TensorIOTraining

/// What is told of one epoch of training.
struct EpochRecord: Sendable, Equatable {
  let epoch: Int
  /// The mean of the loss.
  let loss: Double?
  /// The mean of the loss over the examples that were held out.
  let validationLoss: Double?
  /// What else the model says of those, by name.
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

/// What was told of a training so far, as much of it as a curve shows.
struct TrainingHistory: Sendable {
  /// So many points of a curve can be told apart.
  static let maxPoints = 2000

  private(set) var epochs: [EpochRecord] = []
  /// The losses of steps by the part of the epochs that was over, thinned when they are many.
  private(set) var losses: [(epoch: Double, loss: Double)] = []
  /// How many steps a point stands for.
  private var stepsPerPoint = 1
  private var mean = RunningMean()

  /// Takes the loss of a step, at a moment counted in epochs.
  mutating func add(_ loss: Double, at epoch: Double) {
    mean.add(loss)
    guard mean.count >= stepsPerPoint, let value = mean.value else { return }
    losses.append((epoch, value))
    mean = RunningMean()
    if losses.count >= Self.maxPoints { downsample() }
  }

  /// Takes an epoch.
  mutating func add(_ epoch: EpochRecord) { epochs.append(epoch) }

  private mutating func downsample() {
    stepsPerPoint *= 2
    losses = Swift.stride(from: 1, to: losses.count, by: 2).map { index in
      (losses[index].epoch, (losses[index - 1].loss + losses[index].loss) / 2)
    }
  }
}

/// The losses of a training as a picture.
struct LossCurve {
  let title: String
  let history: TrainingHistory

  /// Where the curve will be written, if that can be drawn and written at all.
  static func check(_ path: String) throws(OperationError) {
    try ChartFile.validatePath(path, example: "loss.png")
  }

  /// Writes the picture.
  func write(to path: String) throws(OperationError) {
    try ChartFile.write(chart, to: path)
  }

  /// Steps as a thin line, the means of epochs as a bold one over it, in the midst of those steps,
  /// and what was held out, at the epochs' ends.
  private var chart: LineChart {
    let color = Color.forClass(0)
    var series = [
      LineChart.Series(
        points: history.losses.map { Canvas.Point(x: $0.epoch, y: $0.loss) },
        color: color.mixed(with: .white, fraction: 0.6), lineWidth: 1),
      LineChart.Series(name: "training", points: points(\.loss, at: -0.5), color: color),
    ]
    if history.epochs.contains(where: { $0.validationLoss != nil }) {
      series.append(
        LineChart.Series(
          name: "validation", points: points(\.validationLoss), color: .forClass(1)))
    }
    return LineChart(title: title, xLabel: "epoch", yLabel: "loss", series: series)
  }

  private func points(
    _ loss: (EpochRecord) -> Double?, at moment: Double = 0
  ) -> [Canvas.Point] {
    history.epochs.map { Canvas.Point(x: Double($0.epoch) + moment, y: loss($0) ?? .nan) }
  }
}
