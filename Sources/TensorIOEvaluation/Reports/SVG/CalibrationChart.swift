internal import TensorIOCore

/// How often answers are right, over how sure they are: on the diagonal where they are honest.
struct CalibrationChart {
  private static let smallestDot = 2.5
  private static let growth = 8.0

  private let bins: [CalibrationBin]

  /// A chart of bins; `nil` where nothing is in them.
  init?(_ bins: [CalibrationBin]) {
    self.bins = bins.filter { $0.count > 0 && $0.confidence.isFinite && $0.accuracy.isFinite }
    if self.bins.isEmpty { return nil }
  }

  /// The chart with its caption.
  var markup: Markup {
    .tag(
      "figure", ["class": "plot"], .tag("h4", [:], "Calibration"), drawing,
      .tag(
        "figcaption", [:],
        "A dot is as large as its share of the answers; on the line it is as right as it is sure."))
  }

  /// The drawing alone.
  var drawing: Markup {
    let frame = ChartFrame(horizontal: .share("how sure"), vertical: .share("how often right"))
    return frame.chart(
      "Calibration", bins.map(Self.words).joined(separator: "; "),
      [frame.line((0, 0), (1, 1), "chance")] + bins.map { gap($0, frame) }
        + bins.map { dot($0, frame) })
  }

  private func gap(_ bin: CalibrationBin, _ frame: ChartFrame) -> Markup {
    frame.line((bin.confidence, bin.confidence), (bin.confidence, bin.accuracy), "gap")
  }

  private func dot(_ bin: CalibrationBin, _ frame: ChartFrame) -> Markup {
    let all = bins.reduce(0) { $0 + Double($1.count) }
    let radius = Self.smallestDot + Self.growth * (Double(bin.count) / all).squareRoot()
    return .tag(
      "circle",
      [
        "class": "dot", "cx": frame.x(bin.confidence).place, "cy": frame.y(bin.accuracy).place,
        "r": radius.place,
      ],
      .tag("title", [:], Markup(Self.words(bin))))
  }

  private static func words(_ bin: CalibrationBin) -> String {
    let (sure, right) = ((bin.confidence * 100).fixed(1), (bin.accuracy * 100).fixed(1))
    return "\(bin.count) answers: \(sure) % sure, \(right) % right"
  }
}
