internal import TensorIOCore
internal import TensorIOImage

/// How many runs took how long, with the percentiles.
struct LatencyChart {
  private static let inset = 0.5
  private static let markStep = 14.0

  private let bins: [HistogramBin]
  private let total: StageSpeed?

  /// A chart of bins; `nil` where there is nothing to show.
  init?(_ speed: SpeedResult) {
    bins = speed.histogram.filter {
      $0.lower.isFinite && $0.upper.isFinite && $0.upper > $0.lower && $0.count >= 0
    }
    total = speed.stages.last
    if bins.isEmpty { return nil }
  }

  /// The chart with its caption.
  var markup: Markup {
    .tag(
      "figure", ["class": "plot"], .tag("h4", [:], "Time of a run"), drawing,
      .tag("figcaption", [:], "The last bar holds whatever took longer, too."))
  }

  /// The drawing alone.
  var drawing: Markup {
    let lower = bins.reduce(.infinity) { min($0, $1.lower) }
    let upper = bins.reduce(-.infinity) { max($0, $1.upper) }
    let most = bins.reduce(1) { max($0, Double($1.count)) }
    let frame = ChartFrame(
      horizontal: .init(
        name: "milliseconds", ticks: AxisTicks(covering: lower...upper, atMost: 7)),
      vertical: .init(
        name: "runs", ticks: AxisTicks(covering: 0...most, atMost: 6, wholeOnly: true)))
    return frame.chart(
      "Time of a run", details, bins.map { bar($0, frame) } + marks(frame))
  }

  private var details: String {
    percentiles.map { "\($0): \($1.fixed(3)) ms" }.joined(separator: ", ")
  }

  private var percentiles: [(name: String, value: Double)] {
    guard let total else { return [] }
    return [("p50", total.p50), ("p90", total.p90), ("p99", total.p99)].filter { $1.isFinite }
  }

  private func bar(_ bin: HistogramBin, _ frame: ChartFrame) -> Markup {
    let (left, right) = (frame.x(bin.lower) + Self.inset, frame.x(bin.upper) - Self.inset)
    let (top, bottom) = (frame.y(Double(bin.count)), frame.y(0))
    let words = "\(bin.lower.fixed(3)) to \(bin.upper.fixed(3)) ms: \(bin.count)"
    return .tag(
      "rect",
      [
        "class": "bar", "x": left.place, "y": top.place, "width": max(0, right - left).place,
        "height": (bottom - top).place,
      ],
      .tag("title", [:], Markup(words)))
  }

  /// The percentiles' words stand below each other, since their lines may be near.
  private func marks(_ frame: ChartFrame) -> [Markup] {
    let top = frame.vertical.ticks.range.upperBound
    return percentiles.enumerated().map { index, percentile in
      let x = frame.x(percentile.value)
      let isAtEnd = x > ChartFrame.width * 0.75
      return Markup([
        frame.line((percentile.value, 0), (percentile.value, top), "mark"),
        .tag(
          "text",
          [
            "class": isAtEnd ? "tick end" : "tick", "x": (x + (isAtEnd ? -4 : 4)).place,
            "y": (frame.y(top) + Self.markStep * (Double(index) + 0.7)).place,
          ],
          "\(percentile.name) \(percentile.value.fixed(2))"),
      ])
    }
  }
}
