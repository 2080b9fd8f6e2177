import TensorIOCore
internal import TensorIODrawing

/// The losses of a training as a picture.
struct LossCurve {
  let title: String
  let log: TrainingLog

  /// Where the curve will be written, if that can be drawn and written at all.
  static func check(_ path: String) throws(CommandFailure) {
    try ChartFile.check(path, example: "loss.png")
  }

  /// Writes the picture.
  func write(to path: String) throws(CommandFailure) {
    try ChartFile.write(chart, to: path)
  }

  /// Steps as a thin line, the means of epochs as a bold one over it, in the midst of those steps,
  /// and what was held out, at the epochs' ends.
  private var chart: LineChart {
    let color = Color.forClass(0)
    var series = [
      LineChart.Series(
        points: log.losses.map { Canvas.Point(x: $0.epoch, y: $0.loss) },
        color: color.mixed(with: .white, 0.6), lineWidth: 1),
      LineChart.Series(name: "training", points: points(\.loss, at: -0.5), color: color),
    ]
    if log.epochs.contains(where: { $0.validationLoss != nil }) {
      series.append(
        LineChart.Series(
          name: "validation", points: points(\.validationLoss), color: .forClass(1)))
    }
    return LineChart(title: title, x: "epoch", y: "loss", series: series)
  }

  private func points(
    _ loss: (EpochRecord) -> Double?, at moment: Double = 0
  ) -> [Canvas.Point] {
    log.epochs.map { Canvas.Point(x: Double($0.epoch) + moment, y: loss($0) ?? .nan) }
  }
}
