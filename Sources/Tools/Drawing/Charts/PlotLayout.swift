import TensorIOCore

/// The coordinates of a plot's values in a rectangle.
struct PlotLayout {
  /// The rectangle between the axes.
  let area: Canvas.Rectangle
  /// The ticks of the horizontal axis.
  let columns: AxisTicks
  /// The ticks of the vertical axis.
  let rows: AxisTicks

  /// Returns the horizontal coordinate of a value.
  func x(_ value: Double) -> Double { area.x + area.width * columns.fraction(of: value) }

  /// Returns the vertical coordinate of a value.
  func y(_ value: Double) -> Double { area.maxY - area.height * rows.fraction(of: value) }

  /// Returns the coordinates of a point.
  func point(_ point: Chart.Point) -> Canvas.Point {
    Canvas.Point(x: x(point.x), y: y(point.y))
  }

  /// Returns the rectangle of a bar.
  func rectangle(_ bar: Chart.Bar) -> Canvas.Rectangle {
    let (left, right) = (x(bar.range.lowerBound), x(bar.range.upperBound))
    let (top, bottom) = (y(bar.height), y(0))
    return Canvas.Rectangle(
      x: left + Self.barInset, y: top, width: max(0, right - left - 2 * Self.barInset),
      height: bottom - top)
  }

  private static let barInset = 0.5
}

extension Chart.Plot {
  /// Returns the ticks of the horizontal axis, approximately `count` at most.
  func columns(atMost count: Int) -> AxisTicks {
    horizontal.ticks(covering: marks.flatMap(\.extent).map(\.x), atMost: count)
  }

  /// Returns the ticks of the vertical axis, approximately `count` at most.
  func rows(atMost count: Int) -> AxisTicks {
    vertical.ticks(covering: marks.flatMap(\.extent).map(\.y), atMost: count)
  }

  /// The lines with a name.
  var legend: [Chart.Series] {
    marks.compactMap { mark in
      if case .line(let series) = mark, !series.name.isEmpty { series } else { nil }
    }
  }
}

extension Chart.Axis {
  fileprivate func ticks(covering values: [Double], atMost count: Int) -> AxisTicks {
    AxisTicks(covering: range(of: values), maxCount: count, integersOnly: scale == .integers)
  }

  private func range(of values: [Double]) -> ClosedRange<Double> {
    if case .fixed(let range) = range { return range }
    guard let low = values.min(), let high = values.max() else { return 0...1 }
    return switch range {
    case .valuesAndZero: min(low, 0)...max(high, 0)
    case .valuesAndNearbyZero where low > 0 && low < high / 2: 0...high
    default: low...high
    }
  }

  /// Returns the labels of the axis's ticks.
  func labels(of ticks: AxisTicks) -> [String] {
    guard scale == .percentages else { return ticks.labels }
    let percentages = ticks.values.map { ($0 * 100).formatted(decimals: 0) }
    return percentages.dropLast() + percentages.suffix(1).map { "\($0) %" }
  }
}

extension Double {
  /// The number limited to 0...1; 0 if it is not finite.
  var limitedToUnit: Double { isFinite ? Swift.min(Swift.max(self, 0), 1) : 0 }
}
