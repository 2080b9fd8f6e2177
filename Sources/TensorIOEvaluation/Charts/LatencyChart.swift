import TensorIOCore
import TensorIODrawing

/// A histogram of latencies with percentiles.
struct LatencyChart {
  private static let inset = 0.5
  private static let markerLabelSpacing = 14.0

  private let bins: [HistogramBin]
  private let total: StageLatency?

  /// Creates a chart; `nil` if there are no valid bins.
  init?(_ performance: PerformanceResult) {
    bins = performance.histogram.filter {
      $0.lowerMilliseconds.isFinite && $0.upperMilliseconds.isFinite
        && $0.upperMilliseconds > $0.lowerMilliseconds && $0.count >= 0
    }
    total = performance.stageLatencies.last
    if bins.isEmpty { return nil }
  }

  /// The chart with its caption.
  var markup: Markup {
    .element(
      "figure", ["class": "chart-figure"], .element("h4", [:], "Latency"), svg,
      .element("figcaption", [:], "The last bar includes all slower runs."))
  }

  /// The chart without its caption.
  var svg: Markup {
    let lower = bins.reduce(.infinity) { min($0, $1.lowerMilliseconds) }
    let upper = bins.reduce(-.infinity) { max($0, $1.upperMilliseconds) }
    let maxCount = bins.reduce(1) { max($0, Double($1.count)) }
    let frame = ChartFrame(
      horizontal: .init(
        name: "milliseconds", ticks: AxisTicks(covering: lower...upper, maxCount: 7)),
      vertical: .init(
        name: "runs", ticks: AxisTicks(covering: 0...maxCount, maxCount: 6, integersOnly: true)))
    return frame.chart(
      "Latency", details, bins.map { bar($0, frame) } + percentileMarkers(frame))
  }

  private var details: String {
    percentiles.map { "\($0): \($1.formatted(decimals: 3)) ms" }.joined(separator: ", ")
  }

  private var percentiles: [(name: String, value: Double)] {
    guard let total else { return [] }
    return [("p50", total.p50), ("p90", total.p90), ("p99", total.p99)].filter { $1.isFinite }
  }

  private func bar(_ bin: HistogramBin, _ frame: ChartFrame) -> Markup {
    let left = frame.x(bin.lowerMilliseconds) + Self.inset
    let right = frame.x(bin.upperMilliseconds) - Self.inset
    let (top, bottom) = (frame.y(Double(bin.count)), frame.y(0))
    let lower = bin.lowerMilliseconds.formatted(decimals: 3)
    let upper = bin.upperMilliseconds.formatted(decimals: 3)
    return .element(
      "rect",
      [
        "class": "bar", "x": left.svgCoordinate, "y": top.svgCoordinate,
        "width": max(0, right - left).svgCoordinate, "height": (bottom - top).svgCoordinate,
      ],
      .element("title", [:], Markup("\(lower) to \(upper) ms: \(bin.count)")))
  }

  /// Returns the percentile lines; their labels are staggered vertically to avoid overlap.
  private func percentileMarkers(_ frame: ChartFrame) -> [Markup] {
    let top = frame.vertical.ticks.range.upperBound
    return percentiles.enumerated().map { index, percentile in
      let x = frame.x(percentile.value)
      let isAtEnd = x > ChartFrame.width * 0.75
      return Markup([
        frame.line((percentile.value, 0), (percentile.value, top), "percentile"),
        .element(
          "text",
          [
            "class": isAtEnd ? "tick end" : "tick", "x": (x + (isAtEnd ? -4 : 4)).svgCoordinate,
            "y": (frame.y(top) + Self.markerLabelSpacing * (Double(index) + 0.7)).svgCoordinate,
          ],
          "\(percentile.name) \(percentile.value.formatted(decimals: 2))"),
      ])
    }
  }
}

/// A reliability diagram: accuracy over confidence.
struct CalibrationChart {
  private static let minRadius = 2.5
  private static let radiusScale = 8.0

  private let bins: [CalibrationBin]

  /// Creates a chart; `nil` if all bins are empty.
  init?(_ bins: [CalibrationBin]) {
    self.bins = bins.filter { $0.count > 0 && $0.confidence.isFinite && $0.accuracy.isFinite }
    if self.bins.isEmpty { return nil }
  }

  /// The chart with its caption.
  var markup: Markup {
    .element(
      "figure", ["class": "chart-figure"], .element("h4", [:], "Calibration"), svg,
      .element(
        "figcaption", [:],
        "Dot size shows the fraction of predictions. Calibrated predictions are on the line."))
  }

  /// The chart without its caption.
  var svg: Markup {
    let frame = ChartFrame(horizontal: .percent("confidence"), vertical: .percent("accuracy"))
    return frame.chart(
      "Calibration", bins.map(Self.description).joined(separator: "; "),
      [frame.line((0, 0), (1, 1), "reference-line")] + bins.map { gap($0, frame) }
        + bins.map { dot($0, frame) })
  }

  private func gap(_ bin: CalibrationBin, _ frame: ChartFrame) -> Markup {
    frame.line(
      (bin.confidence, bin.confidence), (bin.confidence, bin.accuracy), "calibration-gap")
  }

  private func dot(_ bin: CalibrationBin, _ frame: ChartFrame) -> Markup {
    let total = bins.reduce(0) { $0 + Double($1.count) }
    let radius = Self.minRadius + Self.radiusScale * (Double(bin.count) / total).squareRoot()
    return .element(
      "circle",
      [
        "class": "dot", "cx": frame.x(bin.confidence).svgCoordinate,
        "cy": frame.y(bin.accuracy).svgCoordinate, "r": radius.svgCoordinate,
      ],
      .element("title", [:], Markup(Self.description(of: bin))))
  }

  private static func description(of bin: CalibrationBin) -> String {
    let confidence = (bin.confidence * 100).formatted(decimals: 1)
    let accuracy = (bin.accuracy * 100).formatted(decimals: 1)
    return "\(bin.count) predictions: confidence \(confidence) %, accuracy \(accuracy) %"
  }
}
